import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { requireFreePorts, reservePortBase } from './ports.ts'
import { consolePortOf, DEFAULT_PORT_BASE, portOf, witnessPortOf } from './workspace.ts'

it('twenty reservations at once get ports of their own, outside the range of the system', async () => {
  const bases = await Promise.all(Array.from({ length: 20 }, () => reservePortBase()))
  expect(new Set(bases).size).toBe(20)
  for (const base of bases) {
    expect(base).toBeGreaterThanOrEqual(20_000)
    expect(witnessPortOf(base)).toBeLessThan(32_768)
    for (let port = base; port <= witnessPortOf(base); port += 1) await canListen(port)
  }
})

describe('the port of the console', () => {
  it('is 3000 on the default ports, and beside the services on others', () => {
    expect(consolePortOf(DEFAULT_PORT_BASE)).toBe(3000)
    expect(consolePortOf(20_000)).toBe(20_010)
  })

  it('that is taken is named, with one that is free', async () => {
    const portBase = await reservePortBase()
    const taken = consolePortOf(portBase)
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(taken, '127.0.0.1', resolve))
    const message = await requireFreePorts(portBase).catch((error: Error) => error.message)
    expect(message).toMatch(
      new RegExp(`^Port ${taken} is in use, and the console needs it: choose another port, .* --console-port \\d+\\.$`),
    )
    const free = Number(/--console-port (\d+)/.exec(String(message))?.[1])
    await requireFreePorts(portBase, free)
    await new Promise((resolve) => server.close(resolve))
  })

  it('cannot be that of a service', async () => {
    const portBase = await reservePortBase()
    await expect(requireFreePorts(portBase, portOf('auth', portBase))).rejects.toThrow('is for auth')
  })
})

function canListen(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()))
  })
}
