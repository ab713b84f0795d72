import { describe, expect, it } from 'vitest'
import { FakeDeployment } from '../deployment.fixture.ts'
import type { MirrorStore } from '../mirror-store.ts'
import { CONSENT_HASH, DECLARED, declaredAs } from '../signed-parts.fixture.ts'
import { followed } from './followed.fixture.ts'

describe('records of consent', () => {
  const recordIn = (store: MirrorStore) => {
    const record = store.get('SELECT record FROM records WHERE hash = ?', CONSENT_HASH)?.['record']
    return typeof record === 'string' ? (JSON.parse(record) as unknown) : record
  }
  const path = `/api/v1/consent/${encodeURIComponent(CONSENT_HASH)}`
  const HOUR = 3_600_000

  it('are read once, and again when a snapshot has another entry', async () => {
    const deployment = await FakeDeployment.create()
    const { store, visit, later } = await followed(deployment)
    expect(recordIn(store)).toEqual(DECLARED)
    const asked = () => deployment.asked.filter((one) => one === path).length
    await visit()
    await later(HOUR)
    expect([asked(), recordIn(store)]).toEqual([1, DECLARED])
    const changed = await declaredAs({ ai_training: 'allow' }, 2)
    deployment.declared = changed
    deployment.snapshotted = changed
    await later(2 * HOUR)
    expect([asked(), recordIn(store)]).toEqual([2, changed])
    deployment.snapshotted = null
    await later(3 * HOUR)
    expect(store.get('SELECT count(*) AS n FROM records')?.['n']).toBe(0)
  })

  it('that were changed or revoked after the snapshot wait for the next', async () => {
    for (const declared of [await declaredAs({ ai_training: 'allow' }, 2), null]) {
      const deployment = await FakeDeployment.create()
      deployment.declared = declared
      const { store, visits, later } = await followed(deployment)
      expect([visits[2]?.outcome, recordIn(store)]).toEqual(['followed', null])
      deployment.snapshotted = declared
      await later(HOUR)
      expect(recordIn(store)).toEqual(declared ?? undefined)
    }
  })

  it('that their key did not sign are refused, with evidence', async () => {
    const deployment = await FakeDeployment.create()
    const { signed } = await declaredAs({ search: 'allow' })
    const { signature_b64u: signature } = signed!
    deployment.declared = { ...DECLARED, signed: { ...DECLARED.signed!, signature_b64u: signature } }
    const { store, visits } = await followed(deployment)
    expect(visits[2]).toEqual({ source: 'consent', outcome: 'false', reason: 'invalid_signature' })
    expect(store.evidence()).toContainEqual(
      expect.objectContaining({ source: 'consent', reason: 'invalid_signature', shown: deployment.declared }),
    )
    expect(recordIn(store)).toBeNull()
  })
})
