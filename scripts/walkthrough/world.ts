import { Client, type Device, type Discovery, Identity, ServiceError } from '@svc/client'
import type { DevSecrets } from '@svc/platform/dev-secrets'
import type { LocalMail } from '@svc/platform/local/mail'

/** A step: its expected result, and how to get the actual one. */
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
  /** With the keys of the services. */
  readonly discovery: Discovery
  readonly auth: string
  /** The URL of each service. */
  readonly urls: Readonly<Record<string, string>>
  readonly alice: Person
  readonly bob: Person
  /** The signing seeds of operator and publisher on a local platform. */
  readonly secrets: DevSecrets
  /** The IPFS gateway that core fetches content from. */
  readonly gatewayUrl: string
  /** The mail that the services have sent. */
  readonly mail: Pick<LocalMail, 'codeIn' | 'countOf'>
}

type Places = Pick<World, 'core' | 'did'> &
  Partial<Pick<World, 'pay' | 'keys' | 'consent' | 'provenance' | 'discovery'>>

interface Owner {
  readonly identity?: Identity
  readonly device?: Device
  readonly headers?: Readonly<Record<string, string>>
}

/** A client of the running services; without an owner, for operations that need no credential. */
export function clientOf({ core, did, ...places }: Places, owner: Owner = {}): Client {
  const { pay, keys, consent, provenance, discovery } = places
  const known = Object.entries({ pay, keys, consent, provenance, discovery })
  const others = Object.fromEntries(known.filter(([, one]) => one !== undefined))
  return new Client({ core, did, ...others, origin: LOCAL_ORIGIN, ...owner })
}

export async function person(places: Places): Promise<Person> {
  const identity = await Identity.create()
  return { identity, client: clientOf(places, { identity }) }
}

/** A caller with a unique address, because rate limits count by address, and the state keeps them. */
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

/** The window is seconds long on a local platform, and a day in a deployment. */
export async function until(time: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, time - Date.now() + 50))
  })
}

/** A page for people: its status and heading. */
export async function titled(response: Response): Promise<string> {
  const [, title] = /<h1>([^<]*)<\/h1>/.exec(await response.text()) ?? []
  return `${response.status}, ${title}`
}
