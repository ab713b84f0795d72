/**
 * Services whose code is loaded with their first call, so that an application loads what it uses and no more.
 *
 * @module
 */

type Call = (...args: never) => unknown

/**
 * A service that is loaded with the first call. It has the methods of the service that return a promise or an async
 * iterable; to hand it to code that needs the class itself, construct the class.
 */
export type Lazy<T> = {
  readonly [Name in keyof T as T[Name] extends (...args: never) => Promise<unknown> | AsyncIterable<unknown>
    ? Name
    : never]: T[Name] extends (...args: infer Args) => AsyncGenerator<infer Item, infer _Result, infer _Next>
    ? (...args: Args) => AsyncIterable<Item>
    : T[Name]
}

/** Loads once; a load that failed, such as one without a network, is tried again by the next call. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
}

/** The methods of a service, each of which loads it first. */
export function lazy<T extends object>(load: () => Promise<T>): Lazy<T> {
  const methods = new Map<string, Call>()
  const methodOf = (name: string): Call => {
    const known = methods.get(name)
    if (known) return known
    const method = (...args: never) => answerOf(load().then((service) => callOn(service, name, args)))
    methods.set(name, method)
    return method
  }
  return new Proxy({} as Lazy<T>, {
    // `await` asks for `then`, and a service has none.
    get: (_, name) => (typeof name === 'string' && name !== 'then' ? methodOf(name) : undefined),
  })
}

function callOn(service: object, name: string, args: never): unknown {
  const method: unknown = Reflect.get(service, name)
  if (typeof method !== 'function') throw new TypeError(`${service.constructor.name} has no method ${name}`)
  return Reflect.apply(method, service, args)
}

/** What a method returned: awaited if it is a promise, iterated if it is an async iterable. */
function answerOf(answer: Promise<unknown>): Promise<unknown> & AsyncIterable<unknown> {
  const iterate = async function* () {
    yield* (await answer) as AsyncIterable<unknown>
  }
  return Object.assign(answer, { [Symbol.asyncIterator]: iterate })
}
