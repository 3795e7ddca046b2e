import Checkout
import CheckoutProtocol
import CheckoutStore
import JSONRPC
import ValueTree

/// Copies of the state, made while the daemon serves: one at a time, a few pages a turn.
final class Backups {
  private let store: CheckoutStore
  private let clock: ServerClock
  private let journal: Journal
  private let alarm: Alarm
  private var copy: StateCopy?
  private var call: PendingCall?
  private var refusal: RPCError?

  init(
    _ store: CheckoutStore, _ clock: ServerClock, _ journal: Journal, _ schedule: Schedule
  ) {
    self.store = store
    self.clock = clock
    self.journal = journal
    alarm = Alarm(in: schedule, holdsDaemon: true)
    alarm.whenDue { [unowned self] in goOn() }
  }

  /// What there is of copies, for administrators.
  var status: Value {
    let (count, byteCount) = store.copies
    return ["count": .integer(Int64(count)), "bytes": .integer(byteCount)]
  }

  /// Begins a copy; whoever asked is answered once it is on the disk.
  func begin(as name: String) throws(RPCError) -> Reply {
    if let refusal { throw refusal }
    guard StateCopy.permits(name) else {
      throw .invalidParams(
        path: "/params/name",
        description: "is no name of a copy: letters, digits, '-', '_' and '.', not first a '.'")
    }
    guard copy == nil else { throw .quotaExceeded("backups", 1, used: 1) }
    do throws(StoreError) {
      copy = try store.beginCopy(as: name)
    } catch .exists {
      throw .invalidParams(path: "/params/name", description: "is the name of a copy that is there")
    } catch {
      throw failure(error.description)
    }
    guard copy != nil else { throw failure("the state is kept in memory alone") }
    alarm.set(after: 0)
    return .later { [self] call in self.call = consume call }
  }

  /// Ends the copy under way, and refuses others: the daemon stops.
  func refuse(_ error: RPCError) {
    refusal = error
    if copy != nil { end(.failure(error)) }
  }

  private func goOn() {
    guard let copy else { return }
    let began = clock.bootMilliseconds
    do throws(StoreError) {
      guard try copy.step() else {
        // At most half of the time, however slow the disk is.
        return alarm.set(after: max(1, clock.bootMilliseconds - began))
      }
      journal.notice("the state was copied to \(copy.path)", id: MessageID.backup)
      end(.success(["path": .string(copy.path), "bytes": .integer(copy.byteCount)]))
    } catch {
      journal.error("the state could not be copied: \(error)", id: MessageID.backup)
      end(.failure(failure(error.description)))
    }
  }

  private func end(_ result: Result<Value, RPCError>) {
    copy = nil
    alarm.clear()
    guard let call = call.take() else { return }
    switch result {
    case .success(let value): call.succeed(value)
    case .failure(let error): call.fail(error)
    }
  }

  private func failure(_ description: String) -> RPCError {
    RPCError(.storeFailed, [.init("description", .string(description))])
  }
}
