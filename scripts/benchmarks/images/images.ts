/** How far copies of images are from the original, beside pictures of others. Runs in Chromium. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hammingDistance, IMAGE_MATCH_DISTANCE, MIN_QUALITY, packVector, valuesOf } from '@svc/fingerprint/images'
import { findChromium } from '@svc/platform/chromium'
import { UsageError } from '@svc/platform/entry'
import { ROOT } from '@svc/platform/workspace'
import { VECTOR_RULES } from '@svc/protocol/provenance/vector-services'
import { build } from 'esbuild'
import { chromium, type Page } from 'playwright-core'
import type { Figure, Measured, Table } from '../figures/figure.ts'
import type { Trials } from './in-page.ts'
import { PUBLISHED_HASHES } from './published-hashes.ts'

/** Set by the bundle for the page. */
declare const images: typeof import('./in-page.ts')

const OF_EACH_KIND = 40
const SEARCHED = VECTOR_RULES.fragment.maxDistance

/** The required share of copies within the distance of a match. Edits without an entry are only reported. */
const BARS: Readonly<Record<string, number>> = {
  'JPEG, quality 50': 1,
  'half the size': 1,
  'a quarter of the size': 0.99,
  'darker by 30 %': 0.99,
  grey: 0.99,
}

/** Edits of pictures that the page paints itself. */
export async function measureImages(): Promise<Measured> {
  const found = await inChromium((page) => page.evaluate((count) => images.trials(count), OF_EACH_KIND))
  return { figures: figuresOf(found), table: tableOf(`${3 * OF_EACH_KIND} painted pictures`, found) }
}

/** The published images and their hashes, in a clone of github.com/facebook/ThreatExchange. */
export async function measurePublished(folder: string): Promise<Table[]> {
  const names = Object.keys(PUBLISHED_HASHES).filter((name) => existsSync(join(folder, 'pdq/data', name)))
  if (names.length === 0) throw new UsageError(`${folder} has no images in pdq/data`)
  const files = names.map((name) => readFileSync(join(folder, 'pdq/data', name)).toString('base64'))
  return inChromium(async (page) => {
    const hashes: { hex: string; quality: number }[] = []
    for (const file of files) hashes.push(await page.evaluate((base64) => images.hashOf(base64), file))
    const found = await page.evaluate(
      async (sources) => images.measured(await Promise.all(sources.map((source) => images.fileOf(source)))),
      files.filter((_, i) => isPhotograph(names[i] ?? '') && (hashes[i]?.quality ?? 0) >= MIN_QUALITY),
    )
    return [publishedTable(names, hashes), tableOf(`${found.qualities.length} photographs of pdq/data`, found)]
  })
}

/** Images of different things: not the copies of the bridge, nor the smallest. */
function isPhotograph(name: string): boolean {
  return name.includes('labelme-subset') || /bridge-1-original|c\.png|wee\.jpg/.test(name)
}

function publishedTable(names: readonly string[], hashes: readonly { hex: string; quality: number }[]): Table {
  const rows = names.map((name, i) => {
    const { hex = '', quality = 0 } = hashes[i] ?? {}
    return [String(distance(hex, PUBLISHED_HASHES[name] ?? '')), String(quality), name]
  })
  return { title: 'distance to the published hash', columns: ['distance', 'quality', 'image'], rows }
}

function figuresOf({ edits, unrelated, qualities }: Trials): Figure[] {
  const within = (distances: readonly number[], most: number) =>
    distances.filter((one) => one <= most).length / distances.length
  const recalls = Object.entries(edits).map(([name, distances]): Figure => {
    const limit = BARS[name]
    return {
      name: `found after: ${name}`,
      ratio: within(distances, IMAGE_MATCH_DISTANCE),
      ...(limit === undefined ? {} : { bar: { limit, good: 'at least' as const } }),
      detail: `within ${SEARCHED}: ${within(distances, SEARCHED).toFixed(2)}; median distance ${quantile(distances, 0.5)}, most ${quantile(distances, 1)}`,
    }
  })
  return [
    ...recalls,
    {
      name: 'unrelated pictures that match',
      ratio: within(unrelated, IMAGE_MATCH_DISTANCE),
      bar: { limit: 0, good: 'at most' },
      detail: `of ${unrelated.length} pairs; within ${SEARCHED}: ${within(unrelated, SEARCHED)}; nearest ${quantile(unrelated, 0)}; median ${quantile(unrelated, 0.5)}`,
    },
    {
      name: 'pictures with enough detail',
      ratio: 1 - within(qualities, MIN_QUALITY - 1),
      detail: `quality ${quantile(qualities, 0)} to ${quantile(qualities, 1)}`,
    },
  ]
}

function tableOf(title: string, { edits }: Trials): Table {
  const share = (distances: readonly number[], most: number) =>
    (distances.filter((one) => one <= most).length / distances.length).toFixed(2)
  return {
    title,
    columns: [`within ${IMAGE_MATCH_DISTANCE}`, `within ${SEARCHED}`, 'median', 'most', 'edit'],
    rows: Object.entries(edits).map(([name, distances]) => [
      share(distances, IMAGE_MATCH_DISTANCE),
      share(distances, SEARCHED),
      String(quantile(distances, 0.5)),
      String(quantile(distances, 1)),
      name,
    ]),
  }
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? Number.NaN
}

function distance(one: string, other: string): number {
  return hammingDistance(packVector(valuesOf(one)), packVector(valuesOf(other)))
}

async function inChromium<T>(measure: (page: Page) => Promise<T>): Promise<T> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new UsageError('There is no Chromium: set CHROME_PATH, or put it into PATH')
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'scripts/benchmarks/images/in-page.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'images',
    target: 'es2024',
  })
  const browser = await chromium.launch({
    executablePath,
    args: ['--disable-background-networking', '--disable-component-update', '--no-first-run', '--disable-gpu'],
    chromiumSandbox: process.getuid?.() !== 0,
  })
  try {
    const page = await browser.newPage()
    await page.addScriptTag({ content: outputFiles[0]?.text ?? '' })
    return await measure(page)
  } finally {
    await browser.close()
  }
}
