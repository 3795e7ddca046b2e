import JSON
import JSONRPC
import ValueTree

/// One thing to try in the place of a parameter.
struct Probe: Sendable {
  /// What it is, for people to read.
  let label: String
  /// Its JSON text.
  let text: String
  /// Whether the schema takes it; nil where only the schema itself could tell.
  let fits: Bool?

  init(_ label: String, _ text: String, fits: Bool? = nil) {
    self.label = label
    self.text = text
    self.fits = fits
  }
}

/// Makes what is tried from schemas: the least and the greatest, one beyond, and all that is not what
/// was asked for.
struct SchemaProbes {
  /// What stands where something sensible must stand, by the member's name.
  let samples: [String: String]
  /// How many arrays and objects a line may have inside each other.
  let depth: Int

  /// Kinds of values.
  private enum Kind: CaseIterable { case boolean, integer, fraction, string, list, object }

  /// Strings and lists without a bound are tried with this length.
  private static let longest = 4096

  /// Parameters of a method by name, with how deep they stand: below the request and `params`.
  ///
  /// Each text is there once, with the first that has it.
  func parameters(of row: MethodRow) -> [Probe] {
    var seen: Set<String> = []
    return every(of: row).filter { seen.insert($0.text).inserted }
  }

  private func every(of row: MethodRow) -> [Probe] {
    let object = Schema.object(row.parameters)
    var probes = [Probe("nothing", sample(of: object, "params"), fits: true)]
    if row.acceptsAnything {
      return probes + universal(at: 1) + [
        Probe("an unknown member", #"{"unheard-of":1}"#, fits: true)
      ]
    }
    let values = row.parameters.map { sample(of: $0.schema, $0.name.description) }
    probes.append(Probe("by position", Self.array(values), fits: true))
    probes.append(Probe("one too many", Self.array(values + ["1"]), fits: false))
    return probes + objectProbes(row.parameters, isOpen: false, at: 1)
  }

  /// Something that fits.
  func sample(of schema: Schema, _ name: String) -> String {
    if let sample = samples[name] { return sample }
    switch schema {
    case .any, .null: return "null"
    case .boolean: return "false"
    case .number: return "0.5"
    case .integer(let range): return "\(max(range.lowerBound, min(1, range.upperBound)))"
    case .string(let byteCount, _): return Self.string(byteCount.lowerBound)
    case .enumeration(let names): return Value.string(names[0]).jsonText
    case .array: return "[]"
    case .object(let members, _):
      return Self.object(
        members.filter(\.isRequired).map { ($0.name.description, sample(of: $0)) })
    case .choice(let members):
      return Self.object([(members[0].name.description, sample(of: members[0]))])
    case .oneOf(let schemas): return sample(of: schemas[0], "")
    case .named(_, let schema): return sample(of: schema, "")
    }
  }

  private func sample(of member: Schema.Member) -> String {
    sample(of: member.schema, member.name.description)
  }

  /// What is tried in the place of one value, which stands at that depth.
  func probes(of schema: Schema, _ name: String, at level: Int) -> [Probe] {
    switch schema {
    case .any: universal(at: level)
    case .null, .boolean:
      universal(at: level, [.boolean]) + [Probe("true", "true"), Probe("false", "false")]
    case .number:
      universal(at: level, [.integer, .fraction]) + [Probe("a huge number", "1e308", fits: true)]
    case .integer(let range): universal(at: level, [.integer]) + Self.integers(range)
    case .string(let byteCount, _): universal(at: level, [.string]) + Self.strings(byteCount)
    case .enumeration(let names):
      universal(at: level, [.string])
        + names.map { Probe($0, Value.string($0).jsonText, fits: true) }
        + [Probe("an unknown word", #""unheard-of""#, fits: false)]
    case .array(let element, let count):
      universal(at: level, [.list]) + arrays(of: element, count, at: level)
    case .object(let members, let isOpen):
      universal(at: level, [.object]) + objectProbes(members, isOpen: isOpen, at: level)
    case .choice(let members): universal(at: level, [.object]) + choices(members, at: level)
    case .oneOf(let schemas):
      // What one alternative does not take another may.
      schemas.flatMap { probes(of: $0, name, at: level) }
        .map { Probe($0.label, $0.text, fits: $0.fits == true ? true : nil) }
    case .named(_, let schema): probes(of: schema, name, at: level)
    }
  }

  /// What is tried everywhere; most of it is of the wrong type wherever it stands.
  ///
  /// What is of none of these kinds does not fit; null may stand for what is left out.
  private func universal(at level: Int, _ kinds: Set<Kind> = Set(Kind.allCases)) -> [Probe] {
    let room = depth - level
    let tried: [(Kind, String, String)] = [
      (.boolean, "a Boolean", "true"), (.integer, "0", "0"), (.fraction, "a fraction", "1.5"),
      (.integer, "-2^63", "-9223372036854775808"), (.integer, "2^63", "9223372036854775808"),
      (.string, "an empty string", #""""#), (.list, "an empty list", "[]"),
      (.object, "an empty object", "{}"), (.list, "deepest nesting", Self.nested(room)),
    ]
    return tried.map { Probe($0.1, $0.2, fits: kinds.contains($0.0) ? nil : false) } + [
      Probe("null", "null"), Probe("2^64", "18446744073709551616", fits: false),
      Probe("nesting beyond", Self.nested(room + 1), fits: false),
    ]
  }

  private static func integers(_ range: ClosedRange<Int64>) -> [Probe] {
    let below = range.lowerBound == .min ? "-9223372036854775809" : "\(range.lowerBound - 1)"
    let above = range.upperBound == .max ? "9223372036854775808" : "\(range.upperBound + 1)"
    let small = max(range.lowerBound, min(1, range.upperBound))
    return [
      Probe("a whole number with a fraction", "\(small).0", fits: true),
      Probe("the least", "\(range.lowerBound)", fits: true),
      Probe("the greatest", "\(range.upperBound)", fits: true),
      Probe("one below", below, fits: false), Probe("one above", above, fits: false),
    ]
  }

  private static func strings(_ byteCount: ClosedRange<Int>) -> [Probe] {
    let least = byteCount.lowerBound
    let isBounded = byteCount.upperBound < Int.max
    let most = isBounded ? byteCount.upperBound : longest
    var probes = [
      Probe("the shortest", string(least), fits: true),
      Probe("the longest", string(most), fits: true),
      Probe("NUL", #""\u0000""#, fits: byteCount.contains(1)),
      Probe("beyond 16 bits", #""😀""#, fits: byteCount.contains(4)),
      Probe("a combining mark alone", #""\u0301""#, fits: byteCount.contains(2)),
    ]
    if isBounded { probes.append(Probe("one longer", string(most + 1), fits: false)) }
    if least > 0 { probes.append(Probe("one shorter", string(least - 1), fits: false)) }
    return probes
  }

  private func arrays(of element: Schema, _ count: Int?, at level: Int) -> [Probe] {
    let one = sample(of: element, "")
    let most = count ?? 64
    var probes = [
      Probe("one element", Self.array([one]), fits: true),
      Probe("the longest list", Self.array(Array(repeating: one, count: most)), fits: true),
    ]
    if count != nil {
      let text = Self.array(Array(repeating: one, count: most + 1))
      probes.append(Probe("one element more", text, fits: false))
    }
    return probes
      + self.probes(of: element, "", at: level + 1).map {
        Probe("an element: " + $0.label, Self.array([$0.text]), fits: $0.fits)
      }
  }

  private func objectProbes(_ members: [Schema.Member], isOpen: Bool, at level: Int) -> [Probe] {
    let needed = members.filter(\.isRequired).map { ($0.name.description, sample(of: $0)) }
    var probes = [
      Probe("what is required", Self.object(needed), fits: true),
      Probe(
        "an unknown member", Self.object(needed + [("unheard-of", "1")]), fits: isOpen),
    ]
    if let first = needed.first {
      probes.append(Probe("a member twice", Self.object(needed + [first]), fits: false))
    }
    if !members.isEmpty {
      let all = members.map { ($0.name.description, sample(of: $0)) }
      probes.append(Probe("everything", Self.object(all), fits: true))
    }
    for member in members {
      let name = member.name.description
      let others = needed.filter { $0.0 != name }
      if member.isRequired {
        probes.append(Probe("no \(name)", Self.object(others), fits: false))
      }
      probes += self.probes(of: member.schema, name, at: level + 1).map {
        Probe("\(name): \($0.label)", Self.object(others + [(name, $0.text)]), fits: $0.fits)
      }
    }
    return probes
  }

  private func choices(_ members: [Schema.Member], at level: Int) -> [Probe] {
    let all = members.map { ($0.name.description, sample(of: $0)) }
    var probes = [Probe("an unknown choice", #"{"unheard-of":1}"#, fits: false)]
    if all.count > 1 {
      probes.append(Probe("two choices", Self.object(Array(all.prefix(2))), fits: false))
    }
    for member in members {
      let name = member.name.description
      probes += self.probes(of: member.schema, name, at: level + 1).map {
        Probe("\(name): \($0.label)", Self.object([(name, $0.text)]), fits: $0.fits)
      }
    }
    return probes
  }

  // MARK: Texts

  private static func string(_ byteCount: Int) -> String {
    "\"" + String(repeating: "x", count: byteCount) + "\""
  }

  private static func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  private static func array(_ texts: [String]) -> String {
    "[" + texts.joined(separator: ",") + "]"
  }

  private static func object(_ members: [(String, String)]) -> String {
    "{" + members.map { Value.string($0.0).jsonText + ":" + $0.1 }.joined(separator: ",") + "}"
  }
}
