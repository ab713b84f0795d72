/** What the compatibility flag `nodejs_als` gives a Worker of this module; the runtime's own types leave it out. */
declare module 'node:async_hooks' {
  export class AsyncLocalStorage<T> {
    run<R>(store: T, work: () => R): R
    getStore(): T | undefined
  }
}
