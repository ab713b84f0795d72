import type { SignedPublication } from '@svc/protocol/ledger/anchors'
import { describe, expect, it } from 'vitest'
import { FakeDeployment } from '../deployment.fixture.ts'
import type { MirrorStore } from '../mirror-store.ts'
import { listAfter } from '../pinned.fixture.ts'
import { earlierPublisher, publicationNo, statePath } from '../signed-parts.fixture.ts'
import { followed } from './followed.fixture.ts'

describe('reports of the publisher', () => {
  const noncesOf = (store: MirrorStore) =>
    store.all('SELECT nonce FROM publications ORDER BY no').map((row) => row['nonce'])
  const nonces = (of: readonly SignedPublication[]) => of.map(({ statement }) => statement.nonce)

  it('are read in their order, page by page, and only what is new', async () => {
    const deployment = await FakeDeployment.create()
    const all = await Promise.all([0, 1, 2, 3, 4].map((number) => publicationNo(number)))
    deployment.publications = all.slice(0, 3)
    const path = statePath()
    const { store, visit } = await followed(deployment, path)
    expect(noncesOf(store)).toEqual(nonces(all.slice(0, 3)))
    deployment.publications = all
    deployment.asked.length = 0
    await visit()
    expect(noncesOf(store)).toEqual(nonces(all))
    expect(deployment.asked.filter((one) => one.endsWith('publications'))).toHaveLength(2)
    store.close()
    expect(noncesOf((await followed(deployment, path)).store)).toEqual(nonces(all))
  })

  it('that no known key signed are left out, and prove nothing', async () => {
    const deployment = await FakeDeployment.create()
    const [first, foreign, last] = [
      await publicationNo(0),
      await publicationNo(1, {}, earlierPublisher),
      await publicationNo(2),
    ]
    const changed = { ...last, statement: { ...last.statement, tx: '0xdef' } }
    deployment.publications = [first, foreign, changed]
    const { store, visits } = await followed(deployment)
    expect([visits[0]?.outcome, noncesOf(store)]).toEqual(['followed', nonces([first])])
    expect(first && foreign && first.statement.issuedAt < foreign.statement.issuedAt).toBe(true)
    // The list has the key of an earlier publisher, for what it signed before it was replaced.
    const replaced = (at: number) => listAfter(earlierPublisher.ownerPublicKey, at)
    const late = await followed(deployment, statePath(), await replaced(foreign.statement.issuedAt + 1))
    expect(noncesOf(late.store)).toEqual(nonces([foreign]))
    const early = await followed(deployment, statePath(), await replaced(first.statement.issuedAt))
    expect(noncesOf(early.store)).toEqual(nonces([first]))
  })

  it('whose order goes back are refused, with evidence', async () => {
    const deployment = await FakeDeployment.create()
    const [first, second, third] = await Promise.all([0, 1, 2].map((number) => publicationNo(number)))
    deployment.publications = [first!, third!]
    const { store, visit } = await followed(deployment)
    deployment.publications = [first!, third!, second!]
    expect((await visit())[0]).toEqual({ source: 'core', outcome: 'false', reason: 'out_of_order' })
    expect(store.evidence()).toContainEqual(expect.objectContaining({ source: 'core', known: third, shown: second }))
    expect(noncesOf(store)).toEqual(nonces([first!, third!]))
  })
})
