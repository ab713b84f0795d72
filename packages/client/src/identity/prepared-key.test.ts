import { expect, it } from 'vitest'
import { preparedKey } from './prepared-key.ts'

it('is made once, also for calls at the same time', async () => {
  let made = 0
  const key = preparedKey(async () => (made += 1))
  expect(await Promise.all([key(), key()])).toEqual([1, 1])
  expect(await key()).toBe(1)
})

it('is made again after a failure', async () => {
  let tries = 0
  const key = preparedKey(async () => {
    tries += 1
    if (tries === 1) throw new Error('busy')
    return tries
  })
  await expect(key()).rejects.toThrow('busy')
  expect(await key()).toBe(2)
})
