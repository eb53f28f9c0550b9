import Bolide
import BolideMemory
import BolideStorage

final class Author: ManagedObject {
  @Relationship(inverse: \Message.author) var messages: ToMany<Message>
}

final class Message: ManagedObject {
  @Attribute var text = ""
  @Attribute var rank: Int64?
  @Relationship var author: Author?
}

enum Chat {
  static func container() throws -> PersistentContainer {
    try PersistentContainer(
      Schema(Author.self, Message.self), at: StoreLocation(MemoryBackend(), Location(path: "chat")))
  }
}
