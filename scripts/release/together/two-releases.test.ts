import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPlatform } from '@svc/platform'
import { reservePortBase } from '@svc/platform/ports'
import { walkthrough } from '@svc/walkthrough'
import { expect, it } from 'vitest'
import { inFront } from './two-releases.ts'

/** Uses everything as a group of people would, with one release in front of the other. */
async function faultsWith(front: 'now' | 'before'): Promise<string[]> {
  const stateDir = mkdtempSync(join(tmpdir(), 'svc-two-releases-'))
  const platform = await startPlatform({
    portBase: await reservePortBase(),
    stateDir,
    onLog: () => {},
    modelFiles: true,
    witness: true,
    arrange: (workers) => inFront(workers, front),
  })
  try {
    const { urls, secrets, gateway, mail } = platform
    const lines: string[] = []
    await walkthrough({ urls, secrets, gatewayUrl: gateway.url, mail, print: (line) => lines.push(line) })
    // A walk that ends early has shown nothing.
    expect(lines.filter((line) => line.startsWith('ok')).length).toBeGreaterThan(100)
    return lines.filter((line) => line.startsWith('FAIL'))
  } finally {
    await platform.stop()
    rmSync(stateDir, { recursive: true, force: true })
  }
}

it('serves everything with the Workers of now and the entrypoints and objects of the previous release', async () => {
  expect(await faultsWith('now')).toEqual([])
}, 600_000)

it('serves everything with the Workers of the previous release and the entrypoints and objects of now', async () => {
  expect(await faultsWith('before')).toEqual([])
}, 600_000)
