import { Client, type Device, Identity, ServiceError } from '@svc/client'
import type { DevSecrets } from '../lib/dev-secrets.ts'
import type { LocalGateway } from '../lib/local-gateway.ts'
import type { LocalMail } from '../lib/local-mail.ts'

/** One thing to show: what is expected, and how to find out what comes. */
export type Show = (what: string, expected: string, act: () => Promise<string>) => Promise<void>

export const LOCAL_ORIGIN = 'http://localhost:3000'

export interface Person {
  readonly identity: Identity
  readonly client: Client
}

export interface World {
  readonly core: string
  readonly did: string
  readonly pay: string
  readonly provenance: string
  readonly consent: string
  readonly keys: string
  readonly auth: string
  /** Where each service is. */
  readonly urls: Readonly<Record<string, string>>
  readonly alice: Person
  readonly bob: Person
  /** What the operator and the publisher of a local deployment sign with. */
  readonly secrets: DevSecrets
  /** What core fetches content from. */
  readonly gateway: Pick<LocalGateway, 'add'>
  /** What core has mailed. */
  readonly mail: Pick<LocalMail, 'codeIn'>
}

type Places = Pick<World, 'core' | 'did'> & Partial<Pick<World, 'pay' | 'keys' | 'consent' | 'provenance'>>

interface Owner {
  readonly identity?: Identity
  readonly device?: Device
  readonly headers?: Readonly<Record<string, string>>
}

/** A client of the running services; without an owner it can do what needs no credential. */
export function clientOf({ core, did, pay, keys, consent, provenance }: Places, owner: Owner = {}): Client {
  const places = Object.entries({ pay, keys, consent, provenance })
  const others = Object.fromEntries(places.filter(([, url]) => url !== undefined))
  return new Client({ core, did, ...others, origin: LOCAL_ORIGIN, ...owner })
}

export async function person(places: Places): Promise<Person> {
  const identity = await Identity.create()
  return { identity, client: clientOf(places, { identity }) }
}

/** Somebody at another address than everybody else here: limits count by address, and are kept with the state. */
export async function newcomer(places: Places): Promise<Person> {
  const identity = await Identity.create()
  return { identity, client: clientOf(places, { identity, headers: ownAddress() }) }
}

export function ownAddress(): Record<string, string> {
  const name = crypto.randomUUID()
  return { 'cf-connecting-ip': `2001:db8:${name.slice(0, 4)}:${name.slice(4, 8)}::1` }
}

/** A refusal as `409 security_hold`. */
export function named(error: unknown): string {
  return error instanceof ServiceError ? `${error.status} ${error.error}` : 'a fault'
}
