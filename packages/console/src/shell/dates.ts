const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })
const MOMENT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

export const dayOf = (at: number): string => DAY.format(at)
export const momentOf = (at: number): string => MOMENT.format(at)
