/**
 * Services whose code is loaded with their first call, so that an application loads what it uses and no more.
 *
 * @module
 */

import { checkArguments, type Parameter } from '../arguments/check.ts'
import type { Takes } from '../arguments/takes.ts'
import type { Lazy } from './lazy-service.ts'

type Call = (...args: never) => unknown

/**
 * The methods of a service, each of which loads it first. A plain object, which can be logged and mocked: a test can put a
 * function of its own in the place of a method. A call with arguments that `takes` does not know is refused.
 */
export function lazy<T extends object>(name: string, takes: Takes<T>, load: () => Promise<T>): Lazy<T> {
  const table: Readonly<Record<string, string | readonly Parameter[]>> = takes
  const methods = Object.keys(table).map((of) => [of, methodOf(`${name}.${of}`, of, parametersOf(table, of), load)])
  return Object.fromEntries(methods) as Lazy<T>
}

/** Of a twin: those of its method. */
function parametersOf(
  table: Readonly<Record<string, string | readonly Parameter[]>>,
  name: string,
): readonly Parameter[] {
  const entry = table[name] ?? []
  return typeof entry === 'string' ? parametersOf(table, entry) : entry
}

function methodOf(title: string, name: string, parameters: readonly Parameter[], load: () => Promise<object>): Call {
  // With its name, which logs show.
  const { [name]: method } = {
    [name]: (...args: never) =>
      answerOf(
        load().then((service) => {
          checkArguments(title, args, parameters)
          return callOn(service, name, args)
        }),
      ),
  }
  return method as Call
}

function callOn(service: object, name: string, args: never): unknown {
  return Reflect.apply(Reflect.get(service, name) as Call, service, args)
}

/** What a method returned: awaited if it is a promise, iterated if it is an async iterable. */
function answerOf(answer: Promise<unknown>): Promise<unknown> & AsyncIterable<unknown> {
  const iterate = async function* () {
    yield* (await answer) as AsyncIterable<unknown>
  }
  return Object.assign(answer, { [Symbol.asyncIterator]: iterate })
}
