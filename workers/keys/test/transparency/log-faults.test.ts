import type { CheckpointAnswer } from '@svc/protocol/keys/transparency'
import { expectRefusal } from '@svc/service/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { publishedDevice } from '../directory/directory.fixture.ts'
import { call, caller, dataOf } from '../harness.ts'
import { leavesOf, logged, opened, submit } from './log.fixture.ts'

beforeAll(opened)

const checkpoint = async () =>
  dataOf<CheckpointAnswer>(await call(null, 'GET', '/api/transparency/checkpoint')).checkpoint.statement

describe('the tiles', () => {
  it('that are missing are 503 and never an answer', async () => {
    const published = await publishedDevice(await caller(), { count: 1 })
    await logged(published.owner)
    // With a leaf after it, its proof needs a tile whatever the size of the log.
    await submit(leavesOf(5_000, 1))
    const { size } = await checkpoint()
    const { leafId } = published.package
    const gone = { TILES: { get: async () => null } }
    const down = { TILES: { get: () => Promise.reject(new Error('canary: R2 is down')) } }
    for (const replaced of [gone, down]) {
      for (const path of [`proof/${leafId}`, `audit/1-${size}`, 'entries/0']) {
        expectRefusal(await call(null, 'GET', `/api/transparency/${path}`, { replaced }), 'dependency_unavailable')
      }
    }
    expect((await checkpoint()).size).toBe(size)
  })
})

describe('when the log cannot be reached', () => {
  const NO_LOG = {
    TRANSPARENCY_LOG: { getByName: () => new Proxy({}, { get: () => () => Promise.reject(new Error('canary')) }) },
  }

  it('its routes answer 503', async () => {
    for (const path of ['checkpoint', 'audit/1', `proof/did:svc:${'A'.repeat(32)}`, 'entries/0']) {
      const answer = await call(null, 'GET', `/api/transparency/${path}`, { replaced: NO_LOG })
      expectRefusal(answer, 'dependency_unavailable')
    }
  })

  it('without its key it signs nothing, and a prekey is not reserved', async () => {
    const replaced = { DIRECTORY_LOG_SEED: '' }
    expectRefusal(await call(null, 'GET', '/api/transparency/checkpoint', { replaced }), 'log_unavailable')
    expectRefusal(await call(null, 'GET', '/api/transparency/audit/1', { replaced }), 'log_unavailable')
  })
})
