import { language } from '../words/language.ts'

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** A number of bytes, for people: with one digit after the point from a kilobyte on. */
export function sizeOf(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1_000 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const unit = UNITS[power] ?? 'byte'
  const format = { style: 'unit', unit, unitDisplay: power === 0 ? 'long' : 'short', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(language, format).format(bytes / 1_000 ** power)
}
