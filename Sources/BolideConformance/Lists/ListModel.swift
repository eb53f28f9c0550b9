import Bolide
import BolideStorage
import Foundation

/// The classes that the cases of lists show.
enum ListModel {
  static let schema = Schema(ListAuthor.self, ListMessage.self)
}

final class ListAuthor: ManagedObject {
  override class var entityName: String { "Author" }

  @Attribute var name = ""
  @Relationship(inverse: \ListMessage.author) var messages: ToMany<ListMessage>
  @Derived("messages.@count") var messageCount: Int64
}

final class ListMessage: ManagedObject {
  override class var entityName: String { "Message" }

  /// What an import knows the message by; messages that a person writes have none.
  @Attribute(.unique) var code: String?
  @Attribute var text = ""
  @Attribute var rank: Int64?
  @Attribute var room: String?
  @Attribute var sent: Date?
  @Attribute var isHidden = false
  @Relationship var author: ListAuthor?
}

extension FetchRequest<ListMessage> {
  /// All messages by their rank.
  static func ranked(ascending: Bool = true) -> Self {
    FetchRequest(entity: "Message", sort: [SortTerm("rank", ascending: ascending)])
  }
}

extension ManagedObjectContext {
  /// Saves messages with ranks in rooms, one after the other, and gives them back.
  func messages(_ rows: [(rank: Int64?, room: String?)]) throws -> [ListMessage] {
    let messages = rows.map { row in
      let message = ListMessage(context: self)
      message.rank = row.rank
      message.room = row.room
      return message
    }
    try save()
    return messages
  }

  /// Saves messages with ranks alone.
  func messages(_ ranks: [Int64?]) throws -> [ListMessage] {
    try messages(ranks.map { (rank: $0, room: nil) })
  }

  /// Saves authors, one after the other, and gives them back.
  func authors(_ names: [String]) throws -> [ListAuthor] {
    let authors = names.map { name in
      let author = ListAuthor(context: self)
      author.name = name
      return author
    }
    try save()
    return authors
  }

  /// Brings what was saved after a transaction to the context; the last one's number.
  @discardableResult
  func mergeAll(of container: PersistentContainer, after number: UInt64) throws -> UInt64 {
    let news = try container.history(PersistentHistoryRequest(after: .number(number))).transactions
    for transaction in news { try mergeChanges(from: transaction) }
    return news.last?.number ?? number
  }
}
