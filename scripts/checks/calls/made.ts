/**
 * Makes what the calls of the API reference start from, on the shared platform.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { Client, Identity } from '@svc/client'
import { sharedPlatform } from '@svc/platform/shared-platform'
import type { Given, Person } from '@svc/site/calls/given'

const { urls } = sharedPlatform()
export const ORIGIN = 'http://localhost:3000'

/** As the preamble makes it. */
export async function person(): Promise<Person> {
  const identity = await Identity.create()
  const client = await Client.connect({ core: urls.core, identity, origin: ORIGIN })
  await client.chain.genesis()
  return { identity, client }
}

type Makers = { readonly [Name in keyof Given]: (owner: Person) => Given[Name] | Promise<Given[Name]> }

const MAKERS: Makers = {
  core: () => urls.core,
  origin: () => ORIGIN,
  identity: ({ identity }) => identity,
  client: ({ client }) => client,
  friend: () => person(),
}

/** What a call names. Whatever else it used would be undefined. */
export async function given(names: readonly string[]): Promise<Given> {
  const owner = await person()
  const made: [string, unknown][] = []
  for (const name of names) made.push([name, await MAKERS[name as keyof Given](owner)])
  return Object.fromEntries(made) as unknown as Given
}

/** Rate limits count by address: 2001:db8::/32 is for documentation. */
export function freshAddress(): string {
  const [a, b] = [randomBytes(2).toString('hex'), randomBytes(2).toString('hex')]
  return `2001:db8:${a}:${b}::1`
}
