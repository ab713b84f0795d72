import { PURPOSE, signPayload } from '@svc/assertion'
import { Client, Identity } from '@svc/client'

export interface CallerOptions {
  /** Sends to the Worker under test. */
  readonly fetch: (request: Request) => Promise<Response>
  readonly core?: string
  readonly did?: string
  readonly pay?: string
  readonly keys?: string
  readonly provenance?: string
  readonly origin?: string
  /** The key that resolution results have to be signed with. */
  readonly resolverKey?: string
  /** The caller's clock, epoch ms. */
  readonly now?: () => number
  /** The address that the limiter sees; a fresh one for each caller unless given. */
  readonly address?: string
}

export interface TestCaller {
  readonly identity: Identity
  readonly client: Client
  readonly address: string
  /** An Authorization value; members override what a good assertion would say. */
  readonly assertion: (aud: string, members?: Record<string, unknown>) => Promise<string>
}

let callers = 0

/** An address of the documentation range that no other caller of this run has. */
function freshAddress(): string {
  callers += 1
  return `2001:db8:${(callers >> 16).toString(16)}:${(callers & 0xffff).toString(16)}::1`
}

/** What a client needs besides whoever signs for it. */
export function connectionOf(options: CallerOptions, address: string) {
  return {
    core: options.core ?? 'https://core.test',
    did: options.did ?? 'https://did.test',
    pay: options.pay ?? 'https://pay.test',
    keys: options.keys ?? 'https://keys.test',
    provenance: options.provenance ?? 'https://provenance.test',
    consent: 'https://consent.test',
    fetch: options.fetch,
    headers: { 'cf-connecting-ip': address },
    ...(options.origin === undefined ? {} : { origin: options.origin }),
  }
}

/** A client of the Worker under test, metered as an address of its own, and loose assertions for what must fail. */
export function callerOf(identity: Identity, options: CallerOptions): TestCaller {
  const address = options.address ?? freshAddress()
  const client = new Client({
    ...connectionOf(options, address),
    identity,
    ...(options.resolverKey === undefined ? {} : { resolverKey: options.resolverKey }),
    ...(options.now === undefined ? {} : { now: options.now }),
  })
  return {
    identity,
    client,
    address,
    assertion(aud, members = {}) {
      const now = Date.now()
      return signPayload(identity, {
        version: 1,
        purpose: PURPOSE,
        userId: identity.userId,
        chainId: identity.publicKeyB64u,
        publicChainKey: identity.publicKeyB64u,
        issuedAt: now,
        expiresAt: now + 60_000,
        nonce: crypto.randomUUID(),
        aud,
        ...members,
      })
    },
  }
}

/** A caller as the security battery wants one. */
export function presenterOf({ identity, assertion }: TestCaller) {
  return { did: identity.did, assertion: (audience: string) => assertion(audience) }
}

type Send = (request: Request) => Promise<Response>

/** Sends each request to the Worker of its host: `{ core }` takes what goes to `https://core.test`. */
export function byHost(workers: Readonly<Record<string, Send>>): Send {
  return (request) => {
    const worker = workers[new URL(request.url).hostname.replace(/\.test$/, '')]
    if (!worker) throw new Error(`no Worker at ${request.url}`)
    return worker(request)
  }
}

/** A caller whose identity nobody else has; it exists at core unless told. */
export async function freshCaller(options: CallerOptions & { readonly genesis?: boolean }): Promise<TestCaller> {
  const caller = callerOf(await Identity.create(), options)
  if (options.genesis !== false) await caller.client.chain.genesis()
  return caller
}
