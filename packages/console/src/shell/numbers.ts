import { language } from '../words/language.ts'

const NUMBER = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })
const SHARE = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 3 })

/** With one digit after the point at most. */
export function numberOf(value: number): string {
  return NUMBER.format(value)
}

/** 0.999 as 99.9 %. */
export function shareOf(value: number): string {
  return SHARE.format(value)
}
