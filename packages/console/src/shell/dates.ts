import { language } from '../words/language.ts'

// Made when a date is first shown: the first formatter of a page takes a phone a tenth of a second.
let days: Intl.DateTimeFormat | undefined
let moments: Intl.DateTimeFormat | undefined

export function dayOf(at: number): string {
  days ??= new Intl.DateTimeFormat(language, { dateStyle: 'medium' })
  return days.format(at)
}

export function momentOf(at: number): string {
  moments ??= new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
  return moments.format(at)
}
