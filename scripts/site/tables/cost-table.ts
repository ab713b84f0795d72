import { type CostRow, costRows, productOf } from './cost-rows.ts'

export const COST_MARKER = '<!-- The table below is generated from scripts/site/tables/cost-rows.ts -->'

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const UNITS = [
  [1e12, 'TB'],
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
] as const

export function costTable(): string {
  const rows = costRows().map((row) => {
    const arithmetic = row.factors.map(({ value, of }) => `${NUMBER.format(value)} (${of})`).join(' × ')
    return `| ${row.who} | ${row.does} | ${row.what} | ${arithmetic} | ${amountOf(row)} |`
  })
  return `| Who | Makes us | What | Arithmetic | At most |\n|---|---|---|---|---|\n${rows.join('\n')}`
}

function amountOf(row: CostRow): string {
  const product = productOf(row)
  if (row.unit !== 'bytes') return `${NUMBER.format(product)} ${row.unit}`
  const [size, name] = UNITS.find(([bytes]) => product >= bytes) ?? [1, 'bytes']
  return `${NUMBER.format(product / size)} ${name}`
}
