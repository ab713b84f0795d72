/** What `scripts/slo --json` prints. */
export interface SloReport {
  readonly rows: number
  readonly alerts: readonly Alert[]
  readonly past: readonly (Alert & { readonly until: number })[]
}

export interface Alert {
  readonly alert: string
  readonly subject: string
  readonly since: number
  readonly text: string
}

/** Null for anything else. */
export function sloReportOf(text: string): SloReport | null {
  try {
    const value = JSON.parse(text) as Partial<SloReport>
    const isOne = typeof value.rows === 'number' && areAlerts(value.alerts) && areAlerts(value.past)
    return isOne ? (value as SloReport) : null
  } catch {
    return null
  }
}

function areAlerts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item: unknown) => isAlert(item))
}

function isAlert(value: unknown): value is Alert {
  if (typeof value !== 'object' || value === null) return false
  const { alert, subject, since, text } = value as Partial<Alert>
  return typeof since === 'number' && [alert, subject, text].every((member) => typeof member === 'string')
}
