/** How readers verify a root key that replaced the committed keys: with a client, and offline. */
import { otherLabels } from '@svc/protocol/keys/account-labels.fixture'
import { replaced } from '@svc/protocol/keys/replacement.fixture'
import { keysOf, listSigners, nextListSigners } from '@svc/protocol/merkle/rolled-log.fixture'
import { describe, expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import { data } from '../../test/lies/situation.ts'
import { REALMS } from '../../test/realm.ts'
import { alice } from '../../test/sides.ts'
import { Client } from '../client.ts'
import { judge } from '../evidence/judge.ts'
import { OFFLINE } from '../evidence/means.fixture.ts'
import { verifyKeyHistory } from '../verify.ts'

const { did, scope } = alice
const listKeys = keysOf(listSigners)
const { evidence, logged } = await replaced()
const { signed: list, label, labelProofB64u, proofs } = logged
const NOW = 1_790_000_000_000
const notInLog = { subject: 'keys', reason: 'not_in_log', where: { epoch: 1 } }

/** What an answer about an account has besides its label. */
const UNUSED = {
  result: 'absent',
  seq: 0,
  head: '00'.repeat(48),
  agreement: null,
  terminal: null,
  bitmap: '',
  siblingsB64u: '',
  map: { leaf: '{}', position: proofs[0]?.position, proof: [] },
}

/** Returns a client of a core with the key and a directory that proves these updates. */
function clientOf(shown: typeof proofs, asked: string[] = []) {
  const fetch = fetchOf(async ({ url }) => {
    const { pathname, searchParams } = new URL(url)
    const keys = evidence.slice(Number(searchParams.get('from')))
    if (pathname.startsWith('/api/chain/root/'))
      return Response.json(data({ did, scope, keys, next: null, rotation: null }))
    if (pathname === '/api/transparency/logs') return Response.json(data({ list, earlier: [] }))
    if (pathname.endsWith(did))
      return Response.json(data({ ...UNUSED, label, labelProofB64u, checkpoint: proofs[0]?.checkpoint }))
    asked.push(url)
    const found = shown.find(({ leafId }) => pathname.endsWith(leafId))
    if (found) return Response.json(data(searchParams.has('dated') ? found : { ...found, map: undefined }))
    return Response.json({ success: false, error: 'not_found', message: pathname, timestamp: NOW }, { status: 404 })
  })
  const urls = { core: 'https://core.test', did: 'https://did.test', keys: 'https://keys.test' }
  return new Client({ ...urls, logListKeys: listKeys, fetch, now: () => NOW, sleep: async () => {} })
}
const activations = (keys: readonly { readonly activated: string }[]) => keys.map(({ activated }) => activated)

describe('online', () => {
  it('is proved by the request and the activation in the log', async () => {
    const asked: string[] = []
    expect(activations(await clientOf(proofs, asked).keyHistory.of(did))).toEqual(['proved', 'proved'])
    expect(asked.filter((url) => url.endsWith('?dated=true'))).toHaveLength(2)
  })

  it('is refused, never claimed, by a log that does not have the request', async () => {
    await expect(clientOf(proofs.slice(1)).keyHistory.of(did)).rejects.toMatchObject(notInLog)
    await expect(clientOf([]).keyHistory.of(did)).rejects.toMatchObject(notInLog)
  })
})

describe('an unavailable directory', () => {
  const down = fetchOf(async ({ url }) => {
    const { pathname, searchParams } = new URL(url)
    if (!pathname.startsWith('/api/chain/root/')) throw new TypeError('fetch failed')
    const keys = evidence.slice(Number(searchParams.get('from')))
    return Response.json(data({ did, scope, keys, next: null, rotation: null }))
  })

  it('refutes nothing: the error says that the directory is unavailable', async () => {
    const urls = { core: 'https://core.test', did: 'https://did.test', keys: 'https://keys.test' }
    const client = new Client({ ...urls, logListKeys: listKeys, fetch: down, now: () => NOW, retries: false })
    await expect(client.keyHistory.of(did)).rejects.toMatchObject({ name: 'ConnectionError' })
    await expect(client.keyHistory.logged(did)).rejects.toMatchObject({ name: 'ConnectionError' })
  })
})

describe('a saved history', () => {
  const judgedBy = (client: Client | null) =>
    judge({ kind: 'keys', value: evidence }, null, { ...OFFLINE, realms: REALMS, expectedDid: did, client })
  const pinning = (client: Client) =>
    Object.defineProperty(client, 'discovery', { value: { pin: { keys: [], logListKeys: listKeys } } })

  it('is valid if a client can query the log', async () => {
    expect(await judgedBy(pinning(clientOf(proofs)))).toMatchObject({ verdict: 'valid', did })
  })

  it('is undecided without a client, and invalid if the log does not have it', async () => {
    expect(await judgedBy(null)).toMatchObject({ verdict: 'undecided', needs: 'network' })
    expect(await judgedBy(clientOf(proofs))).toMatchObject({ verdict: 'undecided', needs: 'network' })
    await expect(judgedBy(pinning(clientOf([])))).rejects.toMatchObject(notInLog)
  })
})

describe('offline', () => {
  const verified = (saved?: Parameters<typeof verifyKeyHistory>[3]) => verifyKeyHistory(evidence, did, REALMS, saved)

  it('is proved by the log entries that a client saved', async () => {
    const saved = await clientOf(proofs).keyHistory.logged(did)
    expect(activations(await verified({ ...saved!, listKeys }))).toEqual(['proved', 'proved'])
  })

  it('is refused if some or all of these entries are missing', async () => {
    await expect(verified()).rejects.toMatchObject(notInLog)
    await expect(verified({ list, listKeys, labelProofB64u, proofs: proofs.slice(0, 1) })).rejects.toMatchObject(
      notInLog,
    )
  })

  it('is refused with the proof of another label', async () => {
    const unlabelled = { subject: 'label', reason: 'wrong_label' }
    const other = otherLabels.prove(did).labelProofB64u
    await expect(verified({ list, listKeys, labelProofB64u: other, proofs })).rejects.toMatchObject(unlabelled)
  })

  it('is refused with other keys for the log list', async () => {
    const untrusted = { subject: 'logs', reason: 'threshold_not_met' }
    await expect(verified({ list, listKeys: keysOf(nextListSigners), labelProofB64u, proofs })).rejects.toMatchObject(
      untrusted,
    )
  })
})
