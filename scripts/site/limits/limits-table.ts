import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../root.ts'
import { PLATFORM_LIMITS, usedOf } from './platform-limits.ts'

export const PLATFORM_MARKER = '<!-- The table below is generated from scripts/site/limits/platform-limits.ts -->'

const NUMBER = new Intl.NumberFormat('en')

export function platformTable(): string {
  const rows = PLATFORM_LIMITS.map((limit) => {
    const used = usedOf(limit, (file) => readFileSync(join(ROOT, file), 'utf8'))
    const margin = Math.round(100 * (1 - used / limit.allowed))
    const amount = (value: number) => `${NUMBER.format(value)}${limit.unit === '' ? '' : ` ${limit.unit}`}`
    const names = limit.constants.map(({ name }) => `\`${name}\``).join(' × ')
    return `| ${limit.what} | ${amount(limit.allowed)} | ${amount(used)} | ${margin} % | ${limit.by} | ${names} |`
  })
  return `| Limit | Allowed | We use at most | Left | By | Kept by |\n|---|---|---|---|---|---|\n${rows.join('\n')}`
}
