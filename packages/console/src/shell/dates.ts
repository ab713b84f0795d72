import { language } from '../words/language.ts'

const DAY = new Intl.DateTimeFormat(language, { dateStyle: 'medium' })
const MOMENT = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })

export const dayOf = (at: number): string => DAY.format(at)
export const momentOf = (at: number): string => MOMENT.format(at)
