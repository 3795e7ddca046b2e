import ValueTree

/// What a component asks the shopper for, as the daemon tells it: whatever the payment method is.
struct Form {
  /// One field.
  struct Field {
    /// Its name in the protocol.
    let name: String
    /// What to call it.
    let label: String
    /// Whether it is one of some choices, and not a text.
    let isChoice: Bool
    /// Whether nobody is to see it.
    let isSecret: Bool
  }

  let fields: [Field]
  /// What there is to choose from.
  let choices: [Value]

  /// Reads the component's part of a snapshot.
  init(_ state: Value) {
    choices = state["banks"]?.array ?? []
    if let rows = state["fields"]?.array {
      fields = rows.compactMap(Field.init)
    } else {
      // A daemon that does not say so tells what is missing and what it has.
      let named = ["details", "data", "validation"].flatMap { state[$0]?.object ?? [] }.map(\.name)
      let missing = (state["missing"]?.array ?? []).compactMap(\.string)
      var names: [String] = []
      for name in named + missing where !names.contains(name) { names.append(name) }
      let isChoice = state["banks"] != nil
      fields = names.map {
        Field(name: $0, label: Self.words(in: $0), isChoice: isChoice, isSecret: false)
      }
    }
  }

  /// The field that is one of some choices, if the shopper has nothing else to give.
  var choice: Field? { fields.count == 1 && fields[0].isChoice ? fields[0] : nil }

  /// Whether these fields are among its own.
  func has(_ names: [String]) -> Bool {
    names.allSatisfy { name in fields.contains { $0.name == name } }
  }

  /// A name of the protocol for people, as in `E-mail address`.
  private static func words(in name: String) -> String {
    let name = name.hasPrefix("email") ? "e-" + name.dropFirst() : name
    let spaced = name.reduce(into: "") { text, character in
      text += character.isUppercase ? " " + character.lowercased() : String(character)
    }
    return spaced.prefix(1).uppercased() + spaced.dropFirst()
  }
}

extension Form.Field {
  /// Reads one of a component's `fields`; nil if it has no name.
  init?(_ row: Value) {
    guard let name = row["name"]?.string else { return nil }
    self.name = name
    label = row["label"]?.string ?? name
    isChoice = row["kind"]?.string == "choice"
    isSecret = row["isSecret"]?.bool ?? false
  }
}

extension Value {
  /// The name of a component's step.
  var stepName: String { self["step"]?["name"]?.string ?? "" }

  /// Whether a component has been submitted, as far as its step tells.
  var isSubmitted: Bool {
    !["", "notInitialized", "loading", "ready", "banksRetrieved", "retrievedUserDetails"]
      .contains(stepName)
  }
}
