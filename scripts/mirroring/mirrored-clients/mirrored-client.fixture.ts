/** Clients of a deployment that is down, or that lies, and has a mirror. */
import { Client, type ClientOptions, type Fetch } from '@svc/client'
import { hashTextHex } from '@svc/protocol/base/hash'
import { labels } from '@svc/protocol/keys/account-labels.fixture'
import { keysOf, listSigners } from '@svc/protocol/merkle/rolled-log.fixture'
import type { FakeDeployment } from '../deployment.fixture.ts'
import { MirrorStore } from '../mirror-store.ts'
import { pin } from '../pinned.fixture.ts'
import { RunningMirror } from '../running-mirror.ts'
import {
  ACCOUNT,
  BUCKET,
  CONSENT,
  CORE,
  KEYS,
  NOW,
  REALM,
  snapshotKeyB64u,
  statePath,
} from '../signed-parts.fixture.ts'

export const HOUR = 3_600_000

export async function mirrorFor(of: FakeDeployment): Promise<RunningMirror> {
  const state = statePath()
  const store = new MirrorStore(state)
  pin(store)
  store.close()
  const running = await RunningMirror.start({
    core: CORE,
    buckets: [BUCKET],
    fetch: of.fetch,
    now: () => NOW,
    state,
    host: '127.0.0.1',
    port: 0,
    everySeconds: 60,
    onLine: () => {},
  })
  await running.visit()
  return running
}

export type Answer = (url: URL, init: RequestInit) => Promise<Response>
export const down: Answer = () => Promise.reject(new TypeError('fetch failed'))
/** The services answer like this, and the mirrors over the network, changed by `changed`. */
export const network =
  (services: Answer, changed: (body: string, url: URL) => string = (body) => body): Fetch =>
  async (address, init) => {
    const url = new URL(address)
    if (url.hostname !== '127.0.0.1') return services(url, init)
    const response = await fetch(address, init)
    return new Response(changed(await response.text(), url), { status: response.status, headers: response.headers })
  }

/** An account without updates. */
export const NOBODY = `did:svc:${'C'.repeat(32)}`
/** Accounts whose labels the directory proved before it was down. */
export const MET = {
  format: 'svc/client-memory/v1' as const,
  realm: REALM,
  logs: [ACCOUNT, NOBODY].map((did) => {
    const { label, labelProofB64u } = labels.prove(did)
    const pieces = [{ position: 0, hash: hashTextHex(label), signed: { labelProofB64u } }]
    return { kind: 'label' as const, of: did, pieces, pending: null }
  }),
}

export const clientOf = (mirror: RunningMirror, options: Partial<ClientOptions> = {}) =>
  new Client({
    core: CORE,
    did: 'https://did.test',
    keys: KEYS,
    consent: CONSENT,
    realm: REALM,
    logListKeys: keysOf(listSigners),
    consentKeyB64u: snapshotKeyB64u,
    retries: false,
    memory: MET,
    now: () => NOW,
    fetch: network(down),
    mirrors: { urls: [mirror.url], maxAgeMs: HOUR },
    ...options,
  })
