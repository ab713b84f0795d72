/**
 * What the calls of the API reference start from.
 *
 * @module
 */
import type { Client, Identity } from '@svc/client'

export interface Person {
  readonly identity: Identity
  readonly client: Client
}

/** The names that a call can use. Those of `PREAMBLE` are made at the top of each page. */
export interface Given {
  readonly core: string
  readonly origin: string
  readonly identity: Identity
  readonly client: Client
  readonly friend: Person
}

export type Calls = Readonly<Record<string, (given: Given) => Promise<void>>>

/** What a page says of the names that its preamble does not make. */
export const EXPLAINED: Readonly<Partial<Record<keyof Given, string>>> = {
  friend: 'another identity with its client, made in the same way',
}
