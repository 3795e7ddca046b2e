import JSONRPC
import ValueTree

extension Examples {
  static let hello = [
    ExampleRow(
      "A program introduces itself", params: [.init("client", "till 3")],
      result: [
        "server": ["name": "checkoutd", "version": .string(Release.version)], "protocol": 1,
        "epoch": "522d67f9041e8431",
        "limits": [
          "line": 1_048_576, "lineOut": 1_048_576, "nesting": 64, "batch": 64, "inFlight": 64,
          "waiting": 16, "connections": 4096, "administratorConnections": 16,
          "connectionsPerUid": 256, "connectionRate": 500, "checkoutsPerUid": 1000,
          "checkouts": 20_000, "endedPerUid": 256, "recordsPerUid": 100_000,
          "records": 200_000, "qrImageBytes": 65_536, "shares": 64, "queue": 4_194_304,
          "memory": 268_435_456,
          "slowReaderMs": 30_000, "events": 10_000, "eventBytes": 4_194_304,
          "attemptSpanMs": 300_000,
        ],
        "you": ["uid": 1000, "gid": 1000, "pid": 4242, "role": "administrator"],
        "features": [
          "ADYEN_IDEAL", "STRIPE_ACH", "OMISE_PROMPTPAY", "RAPYD_PROMPTPAY", "XFERS_PAYNOW",
          "ADYEN_MULTIBANCO", "ADYEN_BLIK", "ADYEN_MBWAY", "XENDIT_OVO", "WEB_REDIRECT", "replay",
        ],
      ])
  ]

  static let ping = [ExampleRow("Is it there", result: nothing)]

  static let echo = [
    ExampleRow(
      "What is sent comes back", params: [.init("greeting", "hallo")],
      result: ["greeting": "hallo"])
  ]

  static let status = [
    ExampleRow(
      "A daemon that has just started",
      result: [
        "uptimeMs": 1200, "version": .string(Release.version), "checkouts": [:], "subscriptions": 0,
        "questions": ["asked": true], "events": ["published": 0, "lost": 0],
        "connections": [
          "open": 1, "accepted": 1, "refused": 0, "refusals": [:], "heldBytes": 0,
        ],
        "calls": [
          "answered": 1, "notifications": 0, "failedNotifications": 0, "droppedResponses": 0,
          "invalidRequests": 0, "refused": [:],
        ],
        "upstream": [
          "underWay": 0, "queued": 0, "succeeded": 0, "failed": 0, "lastSuccessAt": .null,
          "lastFailureAt": .null,
        ],
        "store": ["kind": "memory", "health": "ok", "backups": ["count": 0, "bytes": 0]],
      ])
  ]

  static let metrics = [
    ExampleRow(
      "The beginning of what is told",
      result: [
        "contentType": "text/plain; version=0.0.4; charset=utf-8",
        "text": "# HELP checkoutd_build_info What runs.\n# TYPE checkoutd_build_info gauge\n",
      ])
  ]

  static let connections = [
    ExampleRow(
      "One connection, that of the caller",
      result: [
        "connections": [
          [
            "pid": 4242, "uid": 1000, "comm": "till", "client": .null, "queuedBytes": 0,
            "inFlight": 1, "lost": 0, "subscriptions": 0, "lastRefusal": .null,
          ]
        ]
      ])
  ]

  static let allowQuestions = [ExampleRow("They are asked again", result: nothing)]

  static let backup = [
    ExampleRow(
      "A copy before an upgrade", params: [.init("name", "before-upgrade")],
      result: ["path": "/var/lib/checkoutd/backups/before-upgrade", "bytes": 5_242_880])
  ]

  static let reload = [ExampleRow("A good configuration is in force", result: nothing)]

  static let discover = [
    ExampleRow(
      "The document, abridged to one method",
      result: [
        "openrpc": "1.2.6",
        "methods": [
          [
            "name": "system.ping", "summary": "Does nothing, and answers.",
            "paramStructure": "either", "params": [],
          ]
        ],
      ])
  ]
}
