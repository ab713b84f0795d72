import { expect, it } from 'vitest'
import { leaf, leaves, locked, TestLog } from './logs.fixture.ts'

it('keeps to a lock of the bucket: it deletes no full tile, and takes one that is there for its own', async () => {
  const log = new TestLog()
  const { bucket, refused } = locked()
  const submit = (some: ReturnType<typeof leaves>) =>
    log.restarted({ bucket }, (object) => object.submit(Date.now(), some))
  await log.placed([leaf('first')])
  const saved = await log.saved()
  await submit(leaves(0, 600))
  // After a restore the object writes the tiles of the heads that it lacks once more.
  await log.restore(saved)
  await submit([leaf('later')])
  expect(refused().map((call) => call.replace(`logs/${log.name}/`, ''))).toEqual(
    expect.arrayContaining(['put tile/0/0', 'put tile/0/1', 'put entries/0', 'put entries/1']),
  )
  await log.restarted({ bucket, now: () => Date.now() + 301_000 }, (object) => object.alarm())
  expect(refused().filter((call) => call.startsWith('delete'))).toEqual([])
  expect((await log.keys()).filter((key) => key.startsWith('log-edges/'))).toHaveLength(3)
  expect(await log.lines()).toHaveLength(603)
})
