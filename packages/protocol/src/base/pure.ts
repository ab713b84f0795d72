/**
 * Makes a constant that bundlers leave out of a program that does not use it. A schema is made by a chain of calls, and
 * a bundler cannot know that they only make a value. The mark `@__PURE__` says so of one call, which is this one:
 * `const noteSchema = @__PURE__ pure(() => z.strictObject({ … }))`, with the mark in a comment of its own.
 *
 * The constant is made at once. ADR 0031 says why not when it is first used.
 */
export function pure<T>(make: () => T): T {
  return make()
}
