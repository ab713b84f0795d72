import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Platform, startPlatform } from './lib/platform.ts'
import { measureAnchors } from './measure/anchors.ts'
import { measureAppends } from './measure/appends.ts'
import { measureBatchVerification } from './measure/batch-verification.ts'
import { measureChainRead } from './measure/chain-read.ts'
import { measureConsent } from './measure/consent.ts'
import { measureDevices } from './measure/devices.ts'
import { measureDirectory } from './measure/directory.ts'
import { type Figure, holds, table } from './measure/figure.ts'
import { measureFingerprint } from './measure/fingerprint.ts'
import { measureNotes } from './measure/notes.ts'
import { measureQuota } from './measure/quota.ts'
import { measureReads } from './measure/reads.ts'
import { measureResolution } from './measure/resolution.ts'
import { measureSearch } from './measure/search.ts'
import { measureSizes } from './measure/sizes.ts'
import { measureVerification } from './measure/verification.ts'

const HELP = `Usage: scripts/bench [options] [section ...]

Measures the platform on this machine. Every figure is a ratio within one run.

  --json          print JSON instead of a table
  --port-base N   first of nine ports in a row (default 9400)
  --help          show this

Sections: SECTIONS (all unless named)`

type Section = (core: string, did: string, pay: string, platform: Platform) => Promise<Figure[]>
const SECTIONS: Record<string, Section> = {
  verification: measureVerification,
  reads: measureReads,
  devices: measureDevices,
  appends: measureAppends,
  anchors: measureAnchors,
  'chain-read': measureChainRead,
  notes: measureNotes,
  resolution: measureResolution,
  quota: measureQuota,
  directory: measureDirectory,
  consent: measureConsent,
  fingerprint: measureFingerprint,
  search: measureSearch,
  'batch-verification': measureBatchVerification,
  sizes: measureSizes,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    'port-base': { type: 'string', default: '9400' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(HELP.replace('SECTIONS', Object.keys(SECTIONS).join(', ')))
else process.exitCode = await run(positionals.length > 0 ? positionals : Object.keys(SECTIONS))

async function run(names: readonly string[]): Promise<number> {
  const stateDir = mkdtempSync(join(tmpdir(), 'bench-'))
  const platform = await startPlatform({ portBase: Number(values['port-base']), stateDir, onLog: () => {} })
  const figures: Figure[] = []
  try {
    for (const name of names) {
      const section = SECTIONS[name]
      if (!section) throw new Error(`there is no section ${name}; scripts/bench --help lists them`)
      if (!values.json) console.error(`measuring ${name} …`)
      figures.push(...(await section(platform.urls.core, platform.urls.did, platform.urls.pay, platform)))
    }
  } finally {
    await platform.stop()
    rmSync(stateDir, { recursive: true, force: true })
  }
  console.log(values.json ? JSON.stringify({ figures }, null, 2) : table(figures))
  return figures.every(holds) ? 0 : 1
}
