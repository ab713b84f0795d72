import { describe, expect, it } from 'vitest'
import { FakeDeployment, openDirectory } from '../deployment.fixture.ts'
import { MirrorStore } from '../mirror-store.ts'
import { agreedNo, lineNo, mapNo, NOW, statePath } from '../signed-parts.fixture.ts'
import { followed } from './followed.fixture.ts'

describe('the map of accounts', () => {
  const stateOf = ({ map }: MirrorStore) => ({ ...map.state, root: map.root })
  const rootOf = (line: string) => (JSON.parse(line) as { root: string }).root

  it('is recomputed from one log to the next, up to the newest that the log names', async () => {
    const deployment = await FakeDeployment.create()
    const path = statePath()
    const { store, visit } = await followed(deployment, path)
    const [, open] = deployment.directory
    expect(stateOf(store)).toEqual({ epoch: 2, log: open!.log, size: 2, root: rootOf(mapNo(2, 2, 3)) })
    deployment.directory = deployment.directory.with(1, openDirectory([lineNo(4)]))
    await visit()
    expect(stateOf(store).epoch).toBe(2)
    deployment.directory = deployment.directory.with(1, openDirectory([lineNo(4), mapNo(3, 4, 4), mapNo(4, 4, 4)]))
    await visit()
    expect(stateOf(store)).toMatchObject({ epoch: 4, root: rootOf(mapNo(3, 4, 4)) })
    store.close()
    expect(stateOf(new MirrorStore(path))).toMatchObject({ epoch: 4, root: rootOf(mapNo(3, 4, 4)) })
  })

  it('is recomputed from what was verified before, also if the directory does not answer any more', async () => {
    const deployment = await FakeDeployment.create()
    const { store, visit } = await followed(deployment)
    const before = stateOf(store)
    store.run('DELETE FROM map_pages')
    store.run('DELETE FROM facts WHERE name = ?', 'map')
    store.map.forget()
    deployment.isDown = true
    expect((await visit())[1]).toMatchObject({ source: 'keys', outcome: 'unreachable' })
    expect(stateOf(store)).toEqual(before)
  })

  const lies: readonly [string, string, readonly string[]][] = [
    ['that lacks an update', 'wrong_map', [lineNo(4), mapNo(3, 4, 3)]],
    ['with an update that the log does not have', 'wrong_map', [mapNo(3, 3, 4)]],
    ['of more leaves than were there', 'wrong_map', [lineNo(4), mapNo(3, 5, 4)]],
    ['of fewer leaves than the one before', 'wrong_map', [mapNo(3, 1, 3)]],
    ['with a number that was left out', 'out_of_order', [lineNo(4), mapNo(4, 4, 4)]],
    ['under a key agreement that goes back', 'out_of_order', [agreedNo(4, 2), agreedNo(5, 1), mapNo(3, 5, 5)]],
    ['with the number of another', 'repeated_leaf', [lineNo(4), mapNo(2, 4, 4)]],
  ]

  it.each(lies)('%s is refused, and the one before stays', async (_, reason, extra) => {
    const deployment = await FakeDeployment.create()
    const path = statePath()
    const { store, mirror, visit } = await followed(deployment, path)
    const before = stateOf(store)
    deployment.directory = deployment.directory.with(1, openDirectory(extra))
    expect((await visit())[1]).toEqual({ source: 'keys', outcome: 'false', reason })
    expect(mirror.refused.get('keys')).toBe(reason)
    expect(store.evidence().filter(({ source }) => source === 'keys')).toMatchObject([{ reason, at: NOW }])
    expect([stateOf(store), before.epoch]).toEqual([before, 2])
    store.close()
    // The pages on the disk are those of that map, too.
    expect(stateOf(new MirrorStore(path))).toEqual(before)
  })
})
