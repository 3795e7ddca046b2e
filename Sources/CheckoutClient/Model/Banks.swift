import ValueTree

/// A bank that the shopper can choose.
///
/// The page gives `isDisabled` the type String and describes a Boolean; it is one.
public struct IssuingBank: Sendable, Hashable, Identifiable {
  /// The bank's id, for ``BanksCollectableData/bankId(bankId:)``.
  public let id: String

  /// Its name, for people to read.
  public let name: String

  /// Where its icon is, if it has one.
  public let iconUrlStr: String?

  /// Whether it takes no payments at present.
  public let isDisabled: Bool

  /// The icon under the name that Primer's code gives it.
  public var iconUrl: String? { iconUrlStr }

  /// Makes a bank.
  ///
  /// - Parameters:
  ///   - id: Its id.
  ///   - name: Its name.
  ///   - iconUrlStr: Where its icon is.
  ///   - isDisabled: Whether it takes no payments at present.
  public init(id: String, name: String, iconUrlStr: String?, isDisabled: Bool) {
    self.id = id
    self.name = name
    self.iconUrlStr = iconUrlStr
    self.isDisabled = isDisabled
  }

  init(_ value: Value) {
    self.init(
      id: value["id"]?.string ?? "", name: value["name"]?.string ?? "",
      iconUrlStr: value["iconUrlStr"]?.string, isDisabled: value["isDisabled"]?.bool ?? false)
  }
}

/// How far a ``BanksComponent`` is, before it is submitted; then ``WebRedirectStep`` tells.
public enum BanksStep: PrimerHeadlessStep, Hashable {
  /// The banks are being loaded.
  case loading

  /// The banks, or those that a filter has left.
  case banksRetrieved(banks: [IssuingBank])
}

/// What a ``BanksComponent`` collects.
public enum BanksCollectableData: PrimerCollectableData, Hashable {
  /// The bank that the shopper chose.
  case bankId(bankId: String)

  /// What the names of the banks shown must contain; empty for all.
  case bankFilterText(text: String)
}

/// How far the page is that a payment redirects the shopper to.
///
/// It comes to the same `stepDelegate` as ``BanksStep``, whose cases are those of the page, so that
/// a `switch` over them stays exhaustive.
public enum WebRedirectStep: PrimerHeadlessStep, Hashable {
  /// The payment is being created.
  case loading

  /// Show the shopper the page at this address, now.
  case loaded(url: String)

  /// The program has reported that the page was closed.
  case dismissed

  /// The shopper has approved.
  case success

  /// The shopper has not, or it cannot be known.
  case failure
}
