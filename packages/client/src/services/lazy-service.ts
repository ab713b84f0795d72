/**
 * A service that is loaded with the first call. It has the methods of the service that return a promise or an async
 * iterable; to hand it to code that needs the class itself, construct the class.
 */
export type Lazy<T> = {
  -readonly [Name in keyof T as T[Name] extends (...args: never) => Promise<unknown> | AsyncIterable<unknown>
    ? Name
    : never]: T[Name] extends (...args: infer Args) => AsyncGenerator<infer Item, infer _Result, infer _Next>
    ? (...args: Args) => AsyncIterable<Item>
    : T[Name]
}
