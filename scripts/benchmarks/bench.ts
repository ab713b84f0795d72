import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Platform, startPlatform } from '@svc/platform'
import { runEntry, UsageError, wholeNumber } from '@svc/platform/entry'
import { metricsFile } from '@svc/platform/local/metrics'
import { readPortBase } from '@svc/platform/ports'
import { resolveFromCaller } from '@svc/platform/workspace'
import { measureAbuse } from './abuse/abuse.ts'
import { measureCommandLine } from './command-line/help.ts'
import { measureAnchors } from './figures/anchors.ts'
import { measureAppends } from './figures/appends.ts'
import { measureBatchVerification } from './figures/batch-verification.ts'
import { measureChainRead } from './figures/chain-read.ts'
import { measureConsent } from './figures/consent.ts'
import { measureDevices } from './figures/devices.ts'
import { measureDirectory } from './figures/directory.ts'
import { type Figure, figureLines, holds, type Measured, type Table, tableLines } from './figures/figure.ts'
import { measureFingerprint } from './figures/fingerprint/fingerprint.ts'
import { measureForms } from './figures/forms.ts'
import { measureGrowth } from './figures/growth.ts'
import { measureNotes } from './figures/notes.ts'
import { measureQuota } from './figures/quota.ts'
import { measureReads } from './figures/reads.ts'
import { measureReservations } from './figures/reservations.ts'
import { measureResolution } from './figures/resolution.ts'
import { measureScale } from './figures/scale/scale.ts'
import { measureSearch } from './figures/search.ts'
import { measureSizes } from './figures/sizes.ts'
import { measureTraffic, NEXT_SEED_VERSION } from './figures/traffic.ts'
import { measureVerification } from './figures/verification.ts'
import { measureImages, measurePublished } from './images/images.ts'
import { measurePeers } from './peers/peers.ts'
import { measurePoison } from './poison/poison.ts'
import { measureProfiles } from './profiles/profiles.ts'
import { measureExcerpts } from './real-texts/excerpts.ts'
import { withTableWorker } from './traffic/lost-table.ts'

const HELP = `Usage: scripts/bench [options] [section ...]

Measures the platform on this machine. Every figure is a ratio within one run, so figures of different machines
can be compared. The section "load" prints a table of latencies too.

  --json          print JSON instead of tables
  --port-base N   first of thirteen consecutive ports (default 9400)
  --help          show this

Options of the section "load":
  --rate N        requests per second (default 60)
  --seconds N     how long it runs (default 30)
  --seed N        chooses the requests, who sends them, and when (default 1)
  --chart FILE    write an SVG chart of the latencies to FILE
  --fault         take a table away from the database for a quarter of the time: alerts of scripts/slo must ring
  --metrics FILE  keep the rows of metrics in FILE, for scripts/slo
  --upheavals     roll the log of anchors, and the directory's log to a key of another seed, while it runs

Options of the section "scale"; its bars are meant for 1000000000 accounts and 10000000 acts, which take many minutes:
  --accounts N    accounts in the larger map (default 100000000)
  --acts N        acts in the larger store of consent (default 1000000)

Option of the section "fingerprint":
  --texts DIR     measure excerpts of your texts, in DIR/<language>/*.txt, and nothing else; --seed chooses them

Option of the section "images":
  --images DIR    measure the images and hashes that the authors of PDQ publish, in DIR: a clone of
                  github.com/facebook/ThreatExchange; and nothing else

Sections: SECTIONS (default: all)
Only if they are named: profiles, which tells where the processor time of five operations goes; and peers, which installs from the package registry what people would use instead, and measures it
beside the platform, for a quarter of an hour. PostgreSQL and Redis must be in PATH for what needs them.`

interface Settings {
  readonly rate: number
  readonly seconds: number
  readonly seed: number
  readonly chart: string | undefined
  readonly upheavals: boolean
  readonly fault: boolean
  readonly metrics: string | undefined
  readonly accounts: number
  readonly acts: number
}

type Section = (
  core: string,
  did: string,
  pay: string,
  platform: Platform,
  settings: Settings,
) => Promise<Figure[] | Measured>
const SECTIONS: Record<string, Section> = {
  verification: measureVerification,
  forms: measureForms,
  reads: measureReads,
  devices: measureDevices,
  appends: measureAppends,
  anchors: measureAnchors,
  'chain-read': measureChainRead,
  notes: measureNotes,
  resolution: measureResolution,
  quota: measureQuota,
  directory: measureDirectory,
  reservations: (_core, _did, _pay, platform) => measureReservations(platform),
  consent: measureConsent,
  fingerprint: measureFingerprint,
  images: measureImages,
  search: measureSearch,
  'batch-verification': measureBatchVerification,
  abuse: measureAbuse,
  poison: measurePoison,
  growth: measureGrowth,
  scale: (_core, _did, _pay, platform, settings) => measureScale(platform, settings),
  'command-line': measureCommandLine,
  sizes: measureSizes,
  load: (_core, _did, _pay, platform, settings) => measureTraffic(platform, settings),
}
/** They run only if they are named: one installs packages of others, one slows the runtime down. */
const NAMED_SECTIONS: Record<string, Section> = {
  profiles: measureProfiles,
  peers: (_core, _did, _pay, platform) => measurePeers(platform),
}
const ALL_SECTIONS = { ...SECTIONS, ...NAMED_SECTIONS }

/** Behind the ports of the platform. */
const INSPECTOR_PORT = 20

await runEntry({
  name: 'scripts/bench',
  help: HELP.replace('SECTIONS', Object.keys(SECTIONS).join(', ')),
  operands: true,
  options: {
    json: { type: 'boolean', default: false },
    'port-base': { type: 'string', default: '9400' },
    rate: { type: 'string', default: '60' },
    seconds: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    chart: { type: 'string' },
    fault: { type: 'boolean', default: false },
    metrics: { type: 'string' },
    upheavals: { type: 'boolean', default: false },
    accounts: { type: 'string', default: '100000000' },
    acts: { type: 'string', default: '1000000' },
    texts: { type: 'string' },
    images: { type: 'string' },
  },
  async run({ values, positionals }) {
    const unknown = positionals.find((name) => !(name in ALL_SECTIONS))
    if (unknown !== undefined) throw new UsageError(`There is no section '${unknown}'`)
    const settings = {
      rate: wholeNumber('--rate', values.rate, { from: 1 }),
      seconds: wholeNumber('--seconds', values.seconds, { from: 1 }),
      seed: wholeNumber('--seed', values.seed),
      chart: values.chart === undefined ? undefined : resolveFromCaller(values.chart),
      upheavals: values.upheavals,
      fault: values.fault,
      metrics: values.metrics === undefined ? undefined : resolveFromCaller(values.metrics),
      accounts: wholeNumber('--accounts', values.accounts, { from: 1_000_000 }),
      acts: wholeNumber('--acts', values.acts, { from: 100_000 }),
    }
    if (values.texts !== undefined) {
      if (positionals.join() !== 'fingerprint') throw new UsageError('--texts is for the section "fingerprint" alone')
      const table = measureExcerpts(resolveFromCaller(values.texts), settings.seed)
      console.log(values.json ? JSON.stringify({ tables: [table] }, null, 2) : tableLines(table))
      return 0
    }
    if (values.images !== undefined) {
      if (positionals.join() !== 'images') throw new UsageError('--images is for the section "images" alone')
      const tables = await measurePublished(resolveFromCaller(values.images))
      console.log(values.json ? JSON.stringify({ tables }, null, 2) : tables.map(tableLines).join('\n\n'))
      return 0
    }
    const portBase = readPortBase(values['port-base'])
    return measure(positionals.length > 0 ? positionals : Object.keys(SECTIONS), portBase, values.json, settings)
  },
})

async function measure(
  names: readonly string[],
  portBase: number,
  isJson: boolean,
  settings: Settings,
): Promise<number> {
  const stateDir = mkdtempSync(join(tmpdir(), 'bench-'))
  const seed = crypto.getRandomValues(new Uint8Array(32))
  const platform = await startPlatform({
    portBase,
    stateDir,
    onLog: () => {},
    // Storing them takes time that a deployment does not spend.
    keepsMetrics: settings.metrics !== undefined,
    ...(names.includes('profiles') ? { inspectorPort: portBase + INSPECTOR_PORT } : {}),
    ...(settings.fault ? { arrange: withTableWorker } : {}),
    ...(settings.upheavals
      ? {
          nextLogSeeds: { transparency: { seed, seedVersion: NEXT_SEED_VERSION } },
          secrets: { keys: { [`DIRECTORY_LOG_SEED_${NEXT_SEED_VERSION}`]: Buffer.from(seed).toString('hex') } },
        }
      : {}),
  })
  const figures: Figure[] = []
  const tables: Table[] = []
  try {
    for (const name of names) {
      const section = ALL_SECTIONS[name]
      if (!section) continue
      if (!isJson) console.error(`measuring ${name} …`)
      const measured = await section(platform.urls.core, platform.urls.did, platform.urls.pay, platform, settings)
      figures.push(...(Array.isArray(measured) ? measured : measured.figures))
      if (!Array.isArray(measured) && measured.table) tables.push(measured.table)
    }
  } finally {
    await platform.stop()
    if (settings.metrics !== undefined) copyFileSync(metricsFile(stateDir), settings.metrics)
    rmSync(stateDir, { recursive: true, force: true })
  }
  const lines = [...tables.map(tableLines), figureLines(figures)].join('\n\n')
  console.log(isJson ? JSON.stringify({ figures, tables }, null, 2) : lines)
  return figures.every(holds) ? 0 : 1
}
