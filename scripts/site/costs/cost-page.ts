import counts from './counts.json' with { type: 'json' }
import { type Counts, costPerMillion, PRICES, PRICES_OF, RESOURCES, type Resource } from './prices.ts'

export const PRICE_MARKER = '<!-- The table below is generated from scripts/site/costs/prices.ts -->'
export const OPERATION_MARKER = '<!-- The table below is generated from scripts/site/costs/counts.json -->'

/** What was estimated of each before anything was counted, in US dollars per million. */
const ESTIMATED: Readonly<Record<string, string>> = {
  'public read: the root of a chain': '0.92',
  'authenticated read at core: the head of a chain': '5.12 to 6.28',
  'authenticated read elsewhere: the meters': '5.12 to 6.28',
  append: '11.35',
  'consent write': '8.37',
  'consent batch of 100': '1.06',
  'consent batch of 10,000': '11.70',
  'quota consume': '10.26',
  'prekey reservation': '17.54',
  'anchor, alone in its second': '19.60',
  'anchor, one of twelve in a second': '19.60',
  'text search of 10 chunks': '34',
  'text search of 100 chunks': '265',
  'DID resolution': '1.74',
}

const RECORDED: Readonly<Record<string, Counts>> = counts
const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

export function priceTable(): string {
  const rows = RESOURCES.map((resource) => {
    const { perMillion, what, page } = PRICES[resource]
    return `| ${what} | ${Number(perMillion.toFixed(4))} | [${page}](https://developers.cloudflare.com/${page}) |`
  })
  return `| A million | US dollars, ${PRICES_OF} | Page |\n|---|---|---|\n${rows.join('\n')}`
}

/** The columns of the table, with what is added up in each. */
const COLUMNS: readonly (readonly [string, readonly Resource[]])[] = [
  ['Object calls', ['objectCalls']],
  ['Rows written', ['rowsWritten']],
  ['Rows read', ['rowsRead']],
  ['R2, KV', ['bucketWrites', 'bucketReads', 'cacheReads', 'cacheWrites']],
  ['Log lines', ['logLines']],
  ['CPU ms', ['cpuMilliseconds']],
]

export function operationTable(): string {
  const rows = Object.entries(RECORDED).map(([name, used]) => {
    const cells = COLUMNS.map(([, resources]) => {
      const amount = resources.reduce((sum, resource) => sum + (used[resource] ?? 0), 0)
      return amount === 0 ? '' : NUMBER.format(amount)
    })
    return `| ${name} | ${cells.join(' | ')} | **${costPerMillion(used).toFixed(2)}** | ${ESTIMATED[name] ?? '–'} |`
  })
  const head = `| One million | ${COLUMNS.map(([name]) => name).join(' | ')} | US dollars | Estimated before |`
  return `${head}\n|${'---|'.repeat(COLUMNS.length + 3)}\n${rows.join('\n')}`
}
