package import Checkout
package import Upstream

/// Who the daemon says it is in each request.
package struct SDKClient: Sendable, Equatable {
  /// The `Primer-SDK-Version` header.
  package var version: String
  /// The `Primer-SDK-Client` header.
  package var name: String
  /// `sessionInfo.platform` in tokenizations.
  package var platform: String

  /// Makes an identity; the defaults are the daemon's own, for accounts that need no other.
  ///
  /// - Parameters:
  ///   - version: See ``version``.
  ///   - name: See ``name``.
  ///   - platform: See ``platform``.
  package init(version: String, name: String = "CHECKOUTD", platform: String = "WEB") {
    self.version = version
    self.name = name
    self.platform = platform
  }
}

/// How long a request may take from its first byte to the last byte of its answer; waiting for its
/// turn and for a connection does not count.
///
/// Creating a payment is given more than the 90 s after which Primer itself gives up: once the
/// time-out has passed, nothing is under way there any more, and the request may be repeated.
package struct Timeouts: Sendable, Equatable {
  /// Until the connection stands, TLS included, for every request.
  package var connect: Milliseconds = 15_000
  /// Configuration, session actions, tokenization, token validation.
  package var request: Milliseconds = 15_000
  /// The bank list.
  package var bankList: Milliseconds = 60_000
  /// Creating a payment.
  package var createPayment: Milliseconds = 100_000
  /// Resuming a payment and completing one.
  package var payment: Milliseconds = 60_000
  /// One status poll.
  package var poll: Milliseconds = 30_000

  /// Makes the table with its defaults.
  package init() {}

  /// What applies to a request.
  func limit(for request: Operation.Request) -> Milliseconds {
    switch request {
    case .fetchConfiguration, .performActions, .tokenize, .validateClientToken: self.request
    case .fetchBanks: bankList
    case .createPayment: createPayment
    case .resume, .complete: payment
    case .poll: poll
    }
  }
}

/// How many requests may be under way, by what they are for; further ones wait for their turn.
package struct SlotShares: Sendable, Equatable {
  /// All together.
  package var all: Int
  /// Of them configurations, bank lists, session actions and token validations.
  package var reading: Int
  /// Of them status polls.
  package var polling: Int
  /// What payments leave to the rest, and the rest to payments.
  package var kept: Int

  /// Makes shares.
  package init(all: Int = 64, reading: Int = 48, polling: Int = 32, kept: Int = 8) {
    self.all = all
    self.reading = reading
    self.polling = polling
    self.kept = kept
  }
}

/// What the gateway is told once.
package struct GatewayOptions: Sendable {
  /// Which URLs may be called.
  ///
  /// Behind a proxy or the egress addresses are looked up there, so that only the URL itself is
  /// checked here.
  package var policy: UpstreamPolicy
  /// Who the daemon says it is.
  package var client: SDKClient
  /// The certificates trusted, in PEM.
  package var certificateFile: String
  /// The proxy's URL, `nil` for none; the environment is never asked.
  package var proxy: String?
  /// What connects to upstream, or to the proxy; `nil` for this process itself.
  package var egress: EgressPath?
  /// How long requests may take.
  package var timeouts: Timeouts
  /// How many requests may be under way.
  package var slots: SlotShares
  /// The longest body of an answer.
  package var maximumBodyByteCount: Int
  /// The longest line that a client is sent: what cannot be told in one is refused when it is read.
  package var maximumLineByteCount: Int

  /// What the system trusts; this is Debian's bundle.
  package static let systemCertificates = "/etc/ssl/certs/ca-certificates.crt"

  /// Makes options.
  package init(
    policy: UpstreamPolicy, client: SDKClient,
    certificateFile: String = Self.systemCertificates, proxy: String? = nil,
    egress: EgressPath? = nil, timeouts: Timeouts = Timeouts(), slots: SlotShares = SlotShares(),
    maximumBodyByteCount: Int = 4 * 1024 * 1024, maximumLineByteCount: Int = 1024 * 1024
  ) {
    self.policy = policy
    self.client = client
    self.certificateFile = certificateFile
    self.proxy = proxy
    self.egress = egress
    self.timeouts = timeouts
    self.slots = slots
    self.maximumBodyByteCount = maximumBodyByteCount
    self.maximumLineByteCount = maximumLineByteCount
  }
}
