import { describe, expect, it } from 'vitest'
import { freshCaller } from './harness.ts'

describe('the chain', () => {
  it('appends, reads and verifies', async () => {
    const { client } = await freshCaller()
    expect((await client.chain.head()).index).toBe('0')
    const appended = await client.chain.append({
      payload: new TextEncoder().encode('hello'),
      contentType: 'text/plain',
    })
    expect(appended.index).toBe('1')
    expect(await client.chain.verify()).toMatchObject({ ok: true, value: { index: '1', hash: appended.hash } })
    expect((await client.chain.payload('1')).bytes).toEqual(new TextEncoder().encode('hello'))
  })
})
