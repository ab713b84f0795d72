import { PURPOSE, signPayload } from '@svc/assertion'
import { Client, Identity, type OnPending } from '@svc/client'
import { fetchOf } from './fetch.ts'
import { type LIST_KEYS, SERVICE_KEYS } from './service-keys.ts'
import { signerOf } from './signer.ts'

export interface CallerOptions {
  /** Sends a request to the Worker under test. */
  readonly fetch: (request: Request) => Promise<Response>
  readonly core?: string
  readonly did?: string
  readonly pay?: string
  readonly keys?: string
  readonly provenance?: string
  readonly origin?: string
  /** The key that must have signed resolution results. */
  readonly resolverKey?: string
  /** The keys of the signed list, for what reads a log. */
  readonly logListKeys?: typeof LIST_KEYS
  readonly onPending?: OnPending
  /** The caller's clock, epoch ms. */
  readonly now?: () => number
  /** The address the rate limiter sees. Default: a fresh one per caller. */
  readonly address?: string
}

export interface TestCaller {
  readonly identity: Identity
  readonly client: Client
  readonly address: string
  /** An Authorization value; `members` override those of a valid assertion. */
  readonly assertion: (aud: string, members?: Record<string, unknown>) => Promise<string>
}

let callers = 0

/** An address of the documentation range, unique within this run. */
function freshAddress(): string {
  callers += 1
  return `2001:db8:${(callers >> 16).toString(16)}:${(callers & 0xffff).toString(16)}::1`
}

/** Client options apart from the signer. */
export function connectionOf(options: CallerOptions, address: string) {
  return {
    core: options.core ?? 'https://core.test',
    did: options.did ?? 'https://did.test',
    pay: options.pay ?? 'https://pay.test',
    keys: options.keys ?? 'https://keys.test',
    provenance: options.provenance ?? 'https://provenance.test',
    consent: 'https://consent.test',
    ...SERVICE_KEYS,
    ...(options.logListKeys && { logListKeys: options.logListKeys }),
    fetch: fetchOf(options.fetch),
    retries: { maxDelayMs: 0 },
    headers: { 'cf-connecting-ip': address },
    ...(options.origin === undefined ? {} : { origin: options.origin }),
    ...(options.onPending === undefined ? {} : { onPending: options.onPending }),
  }
}

/** A client of the Worker under test with an IP address of its own, and arbitrary assertions for tests of refusals. */
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
      return signPayload(
        { sign: signerOf(identity) },
        {
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
        },
      )
    },
  }
}

/** Adapts a caller to the security battery. */
export function presenterOf({ identity, assertion }: TestCaller) {
  return { did: identity.did, assertion: (audience: string) => assertion(audience) }
}

type Send = (request: Request) => Promise<Response>

/** Routes each request to the Worker of its host: `{ core }` receives requests to `https://core.test`. */
export function byHost(workers: Readonly<Record<string, Send>>): Send {
  return (request) => {
    const worker = workers[new URL(request.url).hostname.replace(/\.test$/, '')]
    if (!worker) throw new Error(`no Worker at ${request.url}`)
    return worker(request)
  }
}

/** A caller with a new identity. Registers it at core unless `genesis` is false. */
export async function newCaller(options: CallerOptions & { readonly genesis?: boolean }): Promise<TestCaller> {
  const caller = callerOf(await Identity.create(), options)
  if (options.genesis !== false) await caller.client.chain.genesis()
  return caller
}
