import { describe, expect, it } from 'vitest'
import { DependencyFault, reaching } from './dependency-fault.ts'

describe('reaching', () => {
  it('returns the result of the work', async () => {
    expect(await reaching('bucket', () => Promise.resolve(5))).toBe(5)
  })

  it('names the dependency when the work throws, and keeps the cause for the log', async () => {
    const cause = new Error('D1_ERROR: near "secret"')
    const fault: unknown = await reaching('bucket', () => Promise.reject(cause)).catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(DependencyFault)
    expect(fault).toMatchObject({
      name: 'DependencyFault',
      dependency: 'bucket',
      message: 'bucket is unavailable',
      cause,
    })
  })
})
