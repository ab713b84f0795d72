import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { reservePortBase, sitePortOf } from './ports.ts'

it('twenty reservations at once get ports of their own, outside the range of the system', async () => {
  const bases = await Promise.all(Array.from({ length: 20 }, () => reservePortBase()))
  expect(new Set(bases).size).toBe(20)
  for (const base of bases) {
    expect(base).toBeGreaterThanOrEqual(20_000)
    expect(sitePortOf(base)).toBeLessThan(32_768)
    for (let port = base; port <= sitePortOf(base); port += 1) await canListen(port)
  }
})

function canListen(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()))
  })
}
