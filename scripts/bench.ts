import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Platform, startPlatform } from './lib/platform.ts'
import { resolveFromCaller } from './lib/workspace.ts'
import { measureAnchors } from './measure/anchors.ts'
import { measureAppends } from './measure/appends.ts'
import { measureBatchVerification } from './measure/batch-verification.ts'
import { measureChainRead } from './measure/chain-read.ts'
import { measureConsent } from './measure/consent.ts'
import { measureDevices } from './measure/devices.ts'
import { measureDirectory } from './measure/directory.ts'
import { type Figure, figureLines, holds, type Measured, type Table, tableLines } from './measure/figure.ts'
import { measureFingerprint } from './measure/fingerprint.ts'
import { measureNotes } from './measure/notes.ts'
import { measureQuota } from './measure/quota.ts'
import { measureReads } from './measure/reads.ts'
import { measureResolution } from './measure/resolution.ts'
import { measureSearch } from './measure/search.ts'
import { measureSizes } from './measure/sizes.ts'
import { measureTraffic } from './measure/traffic.ts'
import { measureVerification } from './measure/verification.ts'

const HELP = `Usage: scripts/bench [options] [section ...]

Measures the platform on this machine. Every figure is a ratio within one run; the section load has a table as well.

  --json          print JSON instead of a table
  --port-base N   first of nine ports in a row (default 9400)
  --rate N        of the section load: requests in a second (default 60)
  --seconds N     of the section load (default 30)
  --seed N        of the section load: which requests, by whom, when (default 1)
  --chart FILE    of the section load: where an SVG of its latencies goes (default: none)
  --help          show this

Sections: SECTIONS (all unless named)`

type Section = (core: string, did: string, pay: string, platform: Platform) => Promise<Figure[] | Measured>
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
  load: (_core, _did, _pay, platform) =>
    measureTraffic(platform, {
      rate: Number(values.rate),
      seconds: Number(values.seconds),
      seed: Number(values.seed),
      chart: values.chart === undefined ? undefined : resolveFromCaller(values.chart),
    }),
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    'port-base': { type: 'string', default: '9400' },
    rate: { type: 'string', default: '60' },
    seconds: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    chart: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(HELP.replace('SECTIONS', Object.keys(SECTIONS).join(', ')))
else process.exitCode = await run(positionals.length > 0 ? positionals : Object.keys(SECTIONS))

async function run(names: readonly string[]): Promise<number> {
  const stateDir = mkdtempSync(join(tmpdir(), 'bench-'))
  const platform = await startPlatform({ portBase: Number(values['port-base']), stateDir, onLog: () => {} })
  const figures: Figure[] = []
  const tables: Table[] = []
  try {
    for (const name of names) {
      const section = SECTIONS[name]
      if (!section) throw new Error(`there is no section ${name}; scripts/bench --help lists them`)
      if (!values.json) console.error(`measuring ${name} …`)
      const measured = await section(platform.urls.core, platform.urls.did, platform.urls.pay, platform)
      figures.push(...(Array.isArray(measured) ? measured : measured.figures))
      if (!Array.isArray(measured) && measured.table) tables.push(measured.table)
    }
  } finally {
    await platform.stop()
    rmSync(stateDir, { recursive: true, force: true })
  }
  const lines = [...tables.map(tableLines), figureLines(figures)].join('\n\n')
  console.log(values.json ? JSON.stringify({ figures, tables }, null, 2) : lines)
  return figures.every(holds) ? 0 : 1
}
