import { expect, it } from 'vitest'
import { type Askable, ObjectCommits } from './object-commits.ts'

const NOW = Date.parse('2026-09-01T12:00:00Z')

function counted(commit: () => Promise<string>): { readonly namespace: Askable; readonly asked: string[] } {
  const asked: string[] = []
  const getByName = (name: string) => {
    asked.push(name)
    return { commit }
  }
  return { namespace: { getByName }, asked }
}

it('asks one object of each class, and says null for one that fails', async () => {
  const sound = counted(() => Promise.resolve('c0ffee'))
  const old = counted(() => Promise.reject(new TypeError('The RPC receiver does not implement the method "commit".')))
  const commits = new ObjectCommits('core', () => ({ SOUND: sound.namespace, OLD: old.namespace }))
  expect(await commits.recent(NOW)).toEqual({ SOUND: 'c0ffee', OLD: null })
  expect([sound.asked, old.asked]).toEqual([['health'], ['health']])
})

it('asks again after five seconds at the earliest, however many ask', async () => {
  const { namespace, asked } = counted(() => Promise.resolve('c0ffee'))
  const commits = new ObjectCommits('core', () => ({ A: namespace }))
  for (const later of [0, 1, 4_999]) await commits.recent(NOW + later)
  expect(asked).toHaveLength(1)
  await commits.recent(NOW + 5_000)
  expect(asked).toHaveLength(2)
})

it('does not wait for an object that is silent', async () => {
  const { namespace } = counted(() => new Promise(() => {}))
  expect(await new ObjectCommits('core', () => ({ A: namespace })).recent(NOW)).toEqual({ A: null })
})
