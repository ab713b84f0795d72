import { waitLonger } from './patience.ts'

waitLonger()
