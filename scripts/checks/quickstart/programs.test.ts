/**
 * The programs of the quickstart, run against the shared platform. `quickstart.test.ts` follows the whole page in a
 * clone.
 */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { capture } from '@svc/platform/command'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { ROOT } from '@svc/platform/workspace'
import { afterAll, expect, it } from 'vitest'
import { blocksIn } from '../examples/blocks.ts'
import { here } from '../running-platform/here.ts'
import { faultsOf } from './shown.ts'

const PAGE = 'workers/docs/pages/developer/quickstart.md'
const folder = mkdtempSync(join(tmpdir(), 'svc-play-'))
symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('anchors a file and verifies it as the page shows', async () => {
  const env = {
    CORE: sharedPlatform().urls.core,
    NODE_OPTIONS: `--import=${join(ROOT, 'scripts/checks/running-platform/own-address.ts')}`,
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  }
  writeFileSync(join(folder, 'my-photo.jpg'), crypto.getRandomValues(new Uint8Array(600)))
  const blocks = blocksIn(here(readFileSync(join(ROOT, PAGE), 'utf8')), PAGE)
  const runs: string[] = []
  for (const [at, { info, place, text }] of blocks.entries()) {
    const [, program] = /^ts quickstart (\S+)$/.exec(info) ?? []
    if (program !== undefined) writeFileSync(join(folder, program), text)
    if (info !== 'sh quickstart' || !/^node /m.test(text)) continue
    const { output } = await capture('sh', ['-c', `cd '${folder}'\n${text}`], env)
    // The log has entries of other tests.
    const shown = blocks[at + 1]?.text.replace('entry 1 ', 'entry … ') ?? ''
    expect(faultsOf(shown, output, true), `${place}:\n${output}`).toEqual([])
    runs.push(place)
  }
  expect(runs).toHaveLength(3)
})
