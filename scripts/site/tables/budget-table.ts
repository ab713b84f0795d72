import { BUDGETS, type Budget, TIER_BUDGETS, TIERS } from '@svc/protocol/pay/tiers'

export const BUDGET_MARKER = '<!-- The table below is generated from packages/protocol/src/pay/tiers.ts -->'

const NUMBER = new Intl.NumberFormat('en')
const UNITS = [
  [1024 ** 3, 'GiB'],
  [1024 ** 2, 'MiB'],
] as const

/** What an identity can keep in each tier. */
export function budgetTable(): string {
  const rows = (Object.keys(BUDGETS) as Budget[]).map(
    (budget) =>
      `| \`${budget}\` | ${BUDGETS[budget]} | ${TIERS.map((tier) => amount(budget, TIER_BUDGETS[tier][budget])).join(' | ')} |`,
  )
  return `| Budget | Counts | ${TIERS.join(' | ')} |\n|---|---|${'---|'.repeat(TIERS.length)}\n${rows.join('\n')}`
}

function amount(budget: Budget, value: number): string {
  const [size, unit] = (budget.endsWith('Bytes') && UNITS.find(([bytes]) => value >= bytes)) || [1, '']
  return `${NUMBER.format(value / size)} ${unit}`.trim()
}
