import { statementHash } from '@svc/protocol/base/statement'
import type { SignedCosignature } from '@svc/protocol/keys/cosignature'
import { keysOf, listSigners } from '@svc/protocol/merkle/rolled-log.fixture'
import { describe, expect, it } from 'vitest'
import { accountProofs, cosigned, mappedLog } from '../../test/lies/mapped-log.ts'
import { deviceOf, published } from '../../test/lies/published.ts'
import { data, NOW } from '../../test/lies/situation.ts'
import { REALM } from '../../test/realm.ts'
import { alice, mallory } from '../../test/sides.ts'
import { Transport } from '../transport/transport.ts'
import { Transparency } from './transparency.ts'

const BASE = '/api/transparency'
const MINUTE_MS = 60_000

/** A directory with one account and changing cosignatures, and a client that requires one by Mallory. */
async function watched() {
  const { log, list, account } = await mappedLog([
    statementHash((await published(await deviceOf(3))).credential.statement),
  ])
  const state = { now: NOW, asked: 0, pauses: 0, cosignatures: [] as unknown[], onPause: async () => {} }
  const fetch = async (url: string | URL | Request): Promise<Response> => {
    const { pathname } = new URL(url instanceof Request ? url.url : url)
    const checkpoint = await log.checkpoint(undefined, { issuedAt: state.now })
    const first = Number(/audit\/(\d+)-/.exec(pathname)?.[1] ?? 0)
    const answers: Record<string, unknown> = {
      [`${BASE}/logs`]: data({ list, earlier: [] }),
      [`${BASE}/checkpoint`]: data({ checkpoint, cosignatures: state.cosignatures }),
      ...accountProofs(`${BASE}/proof/`, { ...account, checkpoint }),
      ...(first > 0 && {
        [`${BASE}/audit/${first}-3`]: data({
          log: log.log,
          first,
          second: 3,
          proof: log.consistency(first),
          checkpoint,
        }),
      }),
    }
    if (pathname === `${BASE}/checkpoint`) state.asked++
    return Response.json(answers[pathname] ?? {}, { status: pathname in answers ? 200 : 404 })
  }
  const sleep = async () => {
    state.pauses++
    await state.onPause()
  }
  const transport = new Transport({ realm: REALM, fetch, now: () => state.now, sleep })
  const client = new Transparency(transport, 'https://keys.test', {
    listKeys: keysOf(listSigners),
    witnesses: { threshold: 1, publicKeysB64u: [mallory.publicKeyB64u] },
    patience: { attempts: 3, pauseMs: 1_000 },
  })
  const cosignedAt = async (size: number, issuedAt: number) =>
    (await cosigned(await log.checkpoint(size), REALM, { issuedAt })) as SignedCosignature
  return { state, client, cosignedAt, account: () => client.account(alice.did) }
}

describe('a client with witnesses', () => {
  it('waits for the first cosignature of a new log, and not for ever', async () => {
    const { state, account, cosignedAt } = await watched()
    state.onPause = async () => {
      if (state.pauses === 2) state.cosignatures = [await cosignedAt(3, NOW)]
    }
    await expect(account()).resolves.toMatchObject({ result: 'present' })
    expect(state).toMatchObject({ asked: 3, pauses: 2 })

    const other = await watched()
    await expect(other.account()).rejects.toMatchObject({ subject: 'transparency', reason: 'not_cosigned' })
    expect(other.state).toMatchObject({ asked: 3, pauses: 2 })
  })

  it('asks once a minute who has cosigned a log, and believes nothing of it an hour after the last one', async () => {
    const { state, account, cosignedAt } = await watched()
    state.cosignatures = [await cosignedAt(2, NOW)]
    await account()
    await account()
    expect(state.asked).toBe(1)
    state.now += MINUTE_MS
    await account()
    expect(state.asked).toBe(2)
    state.now = NOW + 60 * MINUTE_MS
    await account()
    state.now += MINUTE_MS
    await expect(account()).rejects.toMatchObject({ reason: 'not_cosigned' })
  })

  it('takes an old cosignature of everything that the log has', async () => {
    const { state, account, cosignedAt } = await watched()
    state.cosignatures = [await cosignedAt(3, NOW - 24 * 60 * MINUTE_MS)]
    await expect(account()).resolves.toMatchObject({ result: 'present' })
  })
})
