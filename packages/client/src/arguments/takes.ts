import type { RecoveringDevice, RootCopy, Successor } from '../recovery/parties.ts'
import type { Lazy } from '../services/lazy-service.ts'
import type { Members } from './check.ts'
import type { Document } from './documents.ts'

/**
 * What the methods of a service take. A method, a parameter or an option that it lacks does not compile. A `safe…` twin
 * names the method whose arguments it takes.
 */
export type Takes<Service> = {
  readonly [Name in keyof Lazy<Service>]-?: Name extends `safe${infer Of}`
    ? Uncapitalize<Of> & keyof Lazy<Service>
    : ParametersOf<Lazy<Service>[Name]>
}

type ParametersOf<Method> = Method extends (...args: infer Args) => unknown
  ? { readonly [I in keyof Required<Args>]: ParameterOf<Args[I]> }
  : never

type ParameterOf<Given> = unknown extends Given
  ? string
  : NonNullable<Given> extends Opaque
    ? string
    : IsParty<NonNullable<Given>> extends true
      ? string
      : readonly [name: string, members: Members<NonNullable<Given>>]

/** What a recovery needs of a device or a root key is one member: anything else of it is its own. */
type IsParty<Given> = Given extends unknown
  ? [keyof Given] extends [keyof RecoveringDevice | keyof RootCopy | keyof Successor]
    ? true
    : false
  : never

/** What is not an object of options. */
type Opaque =
  | Document
  | string
  | number
  | boolean
  | readonly unknown[]
  | Uint8Array
  | AsyncIterable<unknown>
  | Iterable<unknown>
  | ((...args: never) => unknown)
