import { expect, it } from 'vitest'
import { AnchorAnswers } from '../anchor-answers.ts'
import { FakeDeployment } from '../deployment.fixture.ts'
import { LogAnswers } from '../log-answers.ts'
import type { MirrorStore } from '../mirror-store.ts'
import { ANCHOR_LOG, anchorLog, earlierPublisher, withheldLineOf } from '../signed-parts.fixture.ts'
import { followed } from './followed.fixture.ts'

const answersOf = (store: MirrorStore) => new AnchorAnswers(store, new LogAnswers(store))

async function withhold(deployment: FakeDeployment, index: number, line?: string): Promise<void> {
  const anchor = deployment.anchors[index - 1]!
  deployment.anchorLog = anchorLog(deployment.anchors, [line ?? (await withheldLineOf(anchor))])
  deployment.hidden.add(index)
  deployment.issuedAt += 1
}

it('a mirror deletes what the operator withholds, counts it, and says why', async () => {
  const deployment = await FakeDeployment.create()
  const { store, visit } = await followed(deployment)
  const [first] = deployment.anchors
  expect(answersOf(store).record(first!.anchorId)).toMatchObject({ root: first!.root })
  await withhold(deployment, 1)
  expect((await visit())[0]).toMatchObject({ outcome: 'followed' })
  expect(store.withheldIn(ANCHOR_LOG)).toBe(1)
  const answers = answersOf(store)
  const gone = { error: 'withheld', details: { ground: 'privacy', position: { log: ANCHOR_LOG, index: 4 } } }
  const refusalOf = async (work: () => unknown) =>
    Promise.resolve()
      .then(work)
      .catch((error: unknown) => error)
  expect(await refusalOf(() => answers.record(first!.anchorId))).toMatchObject(gone)
  expect(await refusalOf(() => answers.bundle(first!.anchorId))).toMatchObject(gone)
  expect(await refusalOf(() => answers.publications(first!.anchorId))).toMatchObject(gone)
  const query = { owner: null, limit: 100, cursor: null, withAttestations: true }
  expect(answers.list(query).items.map(({ anchorId }) => anchorId)).not.toContain(first!.anchorId)
  expect(answers.bodies(ANCHOR_LOG, 0)).toMatchObject({ withheld: [1], bodies: [{ index: 2 }, { index: 3 }] })
  const text = JSON.stringify(store.all('SELECT * FROM bodies')) + JSON.stringify(store.all('SELECT * FROM withheld'))
  expect(text).not.toContain(first!.root)
})

it('a mirror that never had the body takes the act for it, also if the act came while it read', async () => {
  const deployment = await FakeDeployment.create()
  await withhold(deployment, 2)
  // The first checkpoint that it sees is from before the act.
  deployment.size = 4
  const fetch = deployment.fetch
  const asked = () => deployment.asked.filter((path) => path.startsWith('/api/anchors/feed/bodies/')).length
  const late = Object.assign(deployment, {
    fetch: async (address: string) => {
      const answer = await fetch(address)
      if (asked() > 0) deployment.size = undefined
      return answer
    },
  })
  const { store, visits } = await followed(late)
  expect(visits[0]).toMatchObject({ outcome: 'followed', logs: [{ size: 5 }] })
  expect([store.withheldIn(ANCHOR_LOG), store.evidence()]).toEqual([1, []])
})

it.each(['without an act', 'with the act of another key'])(
  'a body that is missing %s is a contradiction',
  async (how) => {
    const deployment = await FakeDeployment.create()
    const forged = how === 'without an act' ? undefined : await withheldLineOf(deployment.anchors[1]!, earlierPublisher)
    if (forged === undefined) deployment.hidden.add(2)
    else await withhold(deployment, 2, forged)
    const { store, visits } = await followed(deployment)
    expect(visits[0]).toEqual({ source: 'core', outcome: 'false', reason: 'missing_body' })
    expect(store.evidence()).toMatchObject([{ reason: 'missing_body', shown: { log: ANCHOR_LOG, index: 2 } }])
  },
)
