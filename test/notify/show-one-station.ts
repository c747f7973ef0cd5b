// Shows a station on the broker whose URL is the first argument, and prints the operator's messages.
import { openMqtt } from '../../src/notify/mqtt.ts';
import { stationShown } from './stations-shown.ts';

const [, , url = ''] = process.argv;
openMqtt(new URL(url), { say: console.log }, 100).show?.([stationShown('garden')]);
