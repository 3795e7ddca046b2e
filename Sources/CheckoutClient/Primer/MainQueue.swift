import Dispatch

/// What only the main queue may touch, on its way there: a program's objects, of any kind.
struct MainQueueBound<Content>: Sendable {
  private let content: Guarded<Content>

  init(_ content: Content) { self.content = Guarded(content) }

  /// The content, for what is on the main queue.
  var onMainQueue: Content {
    dispatchPrecondition(condition: .onQueue(.main))
    return content.withLock { $0 }
  }

  /// The content for the program that has set it, on whatever thread it asks.
  var forItsOwner: Content { content.withLock { $0 } }
}

/// A delegate, which is not kept alive.
struct WeakDelegate {
  weak let object: AnyObject?

  init(_ object: AnyObject?) { self.object = object }
}

/// A place for a delegate that is set on any thread and called on the main queue.
typealias DelegateSlot = MainQueueBound<WeakDelegate>

extension MainQueueBound where Content == WeakDelegate {
  init(delegate: AnyObject?) { self.init(WeakDelegate(delegate)) }
}
