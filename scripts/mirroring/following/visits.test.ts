import { describe, expect, it } from 'vitest'
import { FakeDeployment } from '../deployment.fixture.ts'
import type { MirrorStore } from '../mirror-store.ts'
import { ANCHOR_LOG } from '../signed-parts.fixture.ts'
import { followed } from './followed.fixture.ts'

const sizeOf = (store: MirrorStore) => store.findLog(ANCHOR_LOG)?.head?.checkpoint.statement.size

describe('a mirror', () => {
  it('follows both logs across a roll, and consent', async () => {
    const deployment = await FakeDeployment.create()
    const { store, visits } = await followed(deployment)
    expect(visits).toMatchObject([
      { source: 'core', outcome: 'followed', logs: [{ log: ANCHOR_LOG, size: 4 }] },
      {
        source: 'keys',
        outcome: 'followed',
        logs: deployment.directory.map(({ log, lines }) => ({ log, size: lines.length })),
      },
      { source: 'consent', outcome: 'followed' },
    ])
    expect(store.logs().map(({ isClosed }) => isClosed)).toEqual([false, true, false])
  })

  it('reads only what is new at the next visit, and nothing of a closed log', async () => {
    const deployment = await FakeDeployment.create(300)
    const { store, visit } = await followed(deployment)
    await deployment.add(3)
    deployment.asked.length = 0
    await visit()
    expect(sizeOf(store)).toBe(304)
    expect(deployment.asked.filter((path) => path.includes('/entries/') || path.includes('/bodies/'))).toEqual([
      '/api/anchors/feed/entries/1',
      '/api/anchors/feed/bodies/301',
    ])
  })

  it('proves nothing by being unreachable', async () => {
    const deployment = await FakeDeployment.create()
    const { store, mirror, visit } = await followed(deployment)
    deployment.isDown = true
    expect((await visit()).map(({ outcome }) => outcome)).toEqual(['unreachable', 'unreachable', 'followed'])
    expect([mirror.refused.size, store.evidence()]).toEqual([0, []])
  })
})
