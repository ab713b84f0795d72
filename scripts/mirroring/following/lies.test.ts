import { nextList, openedEntry } from '@svc/protocol/merkle/rolled-log.fixture'
import { describe, expect, it } from 'vitest'
import { FakeDeployment } from '../deployment.fixture.ts'
import { ANCHOR_LOG, anchorLog, anchorNo, NOW, statePath } from '../signed-parts.fixture.ts'
import { followed } from './followed.fixture.ts'

describe('a mirror refuses, keeps the evidence, and keeps what it had', () => {
  const cases: readonly [string, string, (deployment: FakeDeployment) => Promise<void>][] = [
    [
      'a shorter log',
      'shrunk',
      async (deployment) => {
        deployment.size = 3
        deployment.issuedAt += 1
      },
    ],
    [
      'another leaf in its past',
      'rewritten',
      async (deployment) => {
        const [, ...rest] = deployment.anchors
        deployment.anchors = [await anchorNo(90), ...rest, await anchorNo(91)]
        deployment.anchorLog = anchorLog(deployment.anchors)
      },
    ],
    [
      'another tree of the same size',
      'fork',
      async (deployment) => {
        deployment.anchors = [await anchorNo(90), ...deployment.anchors.slice(1)]
        deployment.anchorLog = anchorLog(deployment.anchors)
      },
    ],
    [
      'an attestation that is not the one of the leaf',
      'not_included',
      async (deployment) => {
        await deployment.add(1)
        const { attestations } = await anchorNo(90)
        deployment.anchors = deployment.anchors.with(3, { ...deployment.anchors[3]!, attestations })
      },
    ],
    [
      'a leaf that was logged before',
      'repeated_leaf',
      async (deployment) => {
        deployment.anchors = [...deployment.anchors, deployment.anchors[0]!]
        deployment.anchorLog = anchorLog(deployment.anchors)
      },
    ],
    [
      'an anchor that was logged before, under another salt',
      'repeated_leaf',
      async (deployment) => {
        const [first] = deployment.anchors
        deployment.anchors = [...deployment.anchors, { ...first!, salt: 'A'.repeat(22) }]
        deployment.anchorLog = anchorLog(deployment.anchors)
      },
    ],
    [
      'a log that it closed in secret',
      'list_inconsistent',
      async (deployment) => {
        deployment.earlier = []
        deployment.list = await nextList(deployment.list, { logs: deployment.list.statement.logs.slice(1) })
      },
    ],
    [
      'a second list of one version',
      'fork',
      async (deployment) => {
        const logs = deployment.list.statement.logs.with(0, openedEntry('anchors', anchorLog([]), null))
        deployment.list = await nextList(deployment.list, { version: 1, previous: null, issuedAt: NOW, logs })
      },
    ],
  ]

  it.each(cases)('%s', async (_, reason, lie) => {
    const deployment = await FakeDeployment.create()
    const path = statePath()
    const { store, mirror, visit } = await followed(deployment, path)
    await lie(deployment)
    expect((await visit())[0]).toEqual({ source: 'core', outcome: 'false', reason })
    expect(mirror.refused.get('core')).toBe(reason)
    const ofCore = () => store.evidence().filter(({ source }) => source === 'core')
    expect(ofCore()).toMatchObject([{ reason, at: NOW }])
    const log = store.findLog(ANCHOR_LOG)
    const { size, root } = log?.head?.checkpoint.statement ?? { size: -1, root: '' }
    expect([size, await log?.root(4), log?.read]).toEqual([4, root, { leaves: 4, bodies: 4 }])
    // It is not asked again, and the evidence is kept once.
    expect((await visit())[0]).toMatchObject({ outcome: 'false', reason })
    expect(ofCore()).toHaveLength(1)
    store.close()
    // After a restart, an honest deployment is followed again from there.
    const honest = await FakeDeployment.create()
    await honest.add(300)
    const again = await followed(honest, path)
    expect(again.visits[0]).toMatchObject({ outcome: 'followed', logs: [{ size: 304 }] })
    expect(again.store.evidence().some((one) => one.reason === reason)).toBe(true)
  })
})
