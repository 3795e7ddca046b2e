internal import CCurl
internal import Checkout
internal import Glibc
internal import LinuxSystem
internal import Upstream

/// One request under way in libcurl: its handle, what it sends and what has come back.
///
/// A transfer can be used again after ``reset()``; its handle keeps TLS sessions, which makes the
/// next connection to the same host cheaper.
@safe final class CurlTransfer {
  /// libcurl's handle, owned by this object.
  let easy: UnsafeMutableRawPointer
  /// Tells transfers apart; libcurl's handle as a number.
  typealias Key = UInt
  /// This transfer's key.
  var key: Key { unsafe Self.key(of: easy) }
  /// Called, from within libcurl, when it begins to send the request.
  var onBegin: (() -> Void)?
  /// When libcurl began to send the request, in microseconds since the boot: before, nothing of it
  /// has left this machine.
  private var begunAt: UInt64?
  /// When the request must have ended, once it has begun.
  var deadline: UInt64? { begunAt.map { $0 &+ UInt64(max(0, limit)) &* 1000 } }

  private let policy: UpstreamPolicy
  private let checksAddresses: Bool
  private let hasEgress: Bool
  private let maximumBodyByteCount: Int
  private var body: [UInt8] = []
  private var isBodyTooLong = false
  private var refusedCount = 0
  private var openedCount = 0
  private var limit: Milliseconds = 0
  // libcurl reads both for as long as the transfer is under way.
  private var headers: UnsafeMutablePointer<curl_slist>?
  private var url: CurlURL?

  /// Makes a transfer that asks for nothing yet.
  ///
  /// - Returns: `nil` if there is no memory for a handle.
  init?(_ options: GatewayOptions) {
    guard let easy = unsafe ccurl_easy_init() else { return nil }
    unsafe self.easy = unsafe easy
    policy = options.policy
    checksAddresses = options.proxy == nil && options.egress == nil
    hasEgress = options.egress != nil
    maximumBodyByteCount = options.maximumBodyByteCount
    unsafe headers = nil
  }

  deinit {
    unsafe ccurl_easy_cleanup(easy)
    unsafe ccurl_list_free(headers)
  }

  /// The key of the transfer that has a handle.
  static func key(of easy: UnsafeMutableRawPointer) -> Key { UInt(bitPattern: easy) }

  /// Makes ready to send a request.
  ///
  /// - Parameters:
  ///   - request: What to send.
  ///   - base: The URL that the request's path and query are added to; it has been checked.
  ///   - limit: How long it may take from its first byte; the caller ends it then. libcurl's own
  ///     limit is for the connection alone, since its clock for the whole would count that too.
  ///   - options: The gateway's.
  /// - Returns: Whether libcurl took all of it; if not, the transfer must not be started.
  func prepare(
    _ request: HTTPRequest, to base: consuming CurlURL, limit: Milliseconds,
    _ options: GatewayOptions
  ) -> Bool {
    guard request.complete(&base) else { return false }
    let scheme = base.part(CURLUPART_SCHEME) ?? "https"
    var isTaken = unsafe ccurl_set_url(easy, base.handle) == CURLE_OK
    url = consume base

    for header in request.headers {
      guard let longer = unsafe ccurl_list_append(headers, header.line) else { return false }
      unsafe headers = unsafe longer
    }
    isTaken = unsafe isTaken && ccurl_set_list(easy, CURLOPT_HTTPHEADER, headers) == CURLE_OK
    if let body = request.body {
      // The count comes first: the text is copied by it.
      isTaken = set(CURLOPT_POSTFIELDSIZE, body.count) && isTaken
      isTaken =
        unsafe body.withUnsafeBytes { bytes in
          unsafe ccurl_set_pointer(
            easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        } == CURLE_OK && isTaken
    }
    isTaken = set(CURLOPT_FRESH_CONNECT, request.needsFreshConnection ? 1 : 0) && isTaken
    self.limit = limit
    isTaken = set(CURLOPT_CONNECTTIMEOUT_MS, Int(min(limit, options.timeouts.connect))) && isTaken
    isTaken = set(CURLOPT_PROTOCOLS_STR, scheme) && isTaken
    return setConnection(options) && setCallbacks() && isTaken
  }

  /// Makes ready for another request.
  func reset() {
    unsafe ccurl_easy_reset(easy)
    unsafe ccurl_list_free(headers)
    unsafe headers = nil
    url = nil
    body = []
    onBegin = nil
    begunAt = nil
    isBodyTooLong = false
    refusedCount = 0
    openedCount = 0
  }

  /// What came of the transfer, once libcurl has finished it.
  func outcome(_ code: CURLcode) -> TransferOutcome {
    var status = 0
    var retryAfterSeconds: Int64 = 0
    _ = unsafe ccurl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
    _ = unsafe ccurl_get_offset(easy, CURLINFO_RETRY_AFTER, &retryAfterSeconds)
    return TransferOutcome(
      ending: TransferOutcome.Ending(code, isBodyTooLong: isBodyTooLong), status: status,
      body: body, retryAfterSeconds: retryAfterSeconds,
      elapsed: begunAt.map { Milliseconds((Clock.bootMicroseconds() &- $0) / 1000) },
      isAddressRefused: isRefusedByEgress(code) || (refusedCount > 0 && openedCount == 0),
      egressError: code == CURLE_COULDNT_CONNECT ? egressError : nil)
  }

  /// Whether the egress would not connect to where it was to.
  private func isRefusedByEgress(_ code: CURLcode) -> Bool {
    guard hasEgress, code == CURLE_PROXY else { return false }
    var reason = 0
    _ = unsafe ccurl_get_long(easy, CURLINFO_PROXY_ERROR, &reason)
    return reason == Int(CURLPX_REPLY_NOT_ALLOWED.rawValue)
  }

  /// Why the egress's own socket cannot be connected to, if that is what has failed.
  private var egressError: Int32? {
    guard hasEgress else { return nil }
    var number = 0
    _ = unsafe ccurl_get_long(easy, CURLINFO_OS_ERRNO, &number)
    return number > 0 ? Int32(clamping: number) : nil
  }

  private func setConnection(_ options: GatewayOptions) -> Bool {
    var isTaken = set(CURLOPT_NOSIGNAL, 1)
    // Else ending a transfer waits for the thread that still looks its name up.
    isTaken = set(CURLOPT_QUICK_EXIT, 1) && isTaken
    isTaken = set(CURLOPT_FOLLOWLOCATION, 0) && isTaken
    isTaken = set(CURLOPT_TCP_NODELAY, 1) && isTaken
    isTaken = set(CURLOPT_TCP_KEEPALIVE, 1) && isTaken
    isTaken = set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS) && isTaken
    isTaken = set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2) && isTaken
    isTaken = set(CURLOPT_CAINFO, options.certificateFile) && isTaken
    // A directory of certificates would switch libcurl's cache of them off, and stall the loop for
    // each new connection.
    isTaken = unsafe ccurl_set_string(easy, CURLOPT_CAPATH, nil) == CURLE_OK && isTaken
    // Empty strings keep libcurl from asking the environment.
    isTaken = set(CURLOPT_PROXY, options.proxy ?? "") && isTaken
    isTaken = set(CURLOPT_NOPROXY, "") && isTaken
    // Before the proxy, if there is one: that is then what the egress is asked to connect to.
    isTaken = set(CURLOPT_PRE_PROXY, options.egress?.proxyURL ?? "") && isTaken
    // Looks at Content-Length alone; what comes without one is counted as it is written.
    return set(CURLOPT_MAXFILESIZE, maximumBodyByteCount) && isTaken
  }

  private func setCallbacks() -> Bool {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    let write = unsafe ccurl_set_write(
      easy,
      { bytes, size, count, context in
        guard let bytes = unsafe bytes, let transfer = unsafe CurlTransfer.from(context) else {
          return 0
        }
        let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        return unsafe transfer.receive(buffer) ? size * count : 0
      }, context)
    let open = unsafe ccurl_set_open(
      easy,
      { context, _, address in
        guard let address = unsafe address, let transfer = unsafe CurlTransfer.from(context) else {
          return CURL_SOCKET_BAD
        }
        return unsafe transfer.open(address)
      }, context)
    let begin = unsafe ccurl_set_prereq(
      easy,
      { context, address, _, port, _ in
        guard let address = unsafe address, let transfer = unsafe CurlTransfer.from(context) else {
          return CURL_PREREQFUNC_ABORT
        }
        let isAllowed = transfer.begin(at: unsafe String(cString: address), port: port)
        return isAllowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
      }, context)
    return write == CURLE_OK && open == CURLE_OK && begin == CURLE_OK
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
    unsafe context.map { unsafe Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= maximumBodyByteCount - body.count else {
      isBodyTooLong = true
      return false
    }
    unsafe body.append(contentsOf: bytes)
    return true
  }

  /// Opens the socket of a new connection, unless the address must not be called.
  private func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    let (family, type, transport) = unsafe (
      address.pointee.family, address.pointee.socktype, address.pointee.protocol
    )
    if checksAddresses {
      guard let socketAddress = unsafe ccurl_address(address),
        let (remote, port) = unsafe NetworkAddress.endpoint(of: socketAddress),
        policy.permits(remote, port: port)
      else {
        refusedCount += 1
        return CURL_SOCKET_BAD
      }
    } else if hasEgress, family != AF_UNIX {
      return CURL_SOCKET_BAD
    }
    openedCount += 1
    return socket(family, type | Int32(SOCK_CLOEXEC.rawValue), transport)
  }

  /// Decides on a connection that stands; the only question that is asked about kept ones.
  private func begin(at address: String, port: Int32) -> Bool {
    if checksAddresses {
      guard let remote = NetworkAddress(text: address), let port = UInt16(exactly: port),
        policy.permits(remote, port: port)
      else {
        refusedCount += 1
        openedCount = 0
        return false
      }
    }
    // Not set anew when libcurl sends again what a kept connection lost.
    if begunAt == nil {
      begunAt = Clock.bootMicroseconds()
      onBegin?()
    }
    return true
  }

  private func set(_ option: CURLoption, _ value: Int) -> Bool {
    unsafe ccurl_set_long(easy, option, value) == CURLE_OK
  }

  private func set(_ option: CURLoption, _ text: String) -> Bool {
    unsafe ccurl_set_string(easy, option, text) == CURLE_OK
  }
}
